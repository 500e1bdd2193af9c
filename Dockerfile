# Orchestrate with git and bubblewrap. Agents are not part of it: add them in an image of your own.
#   docker build -t orchestrate .
#   docker run --rm -v "$PWD:/workspace" orchestrate run workflows/ship.yaml
FROM node:24-bookworm-slim

RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/*

ARG VERSION=latest
RUN npm install --global --no-audit --no-fund "orchestrate-run@${VERSION}" && npm cache clean --force

RUN install -d -o node -g node /workspace
USER node
WORKDIR /workspace

# The first process of a container must reap processes whose parents ended.
ENTRYPOINT ["tini", "--", "orchestrate"]
CMD ["--help"]
