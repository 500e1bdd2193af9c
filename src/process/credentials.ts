/**
 * Finds environment variables with undeclared credentials: those named like one, and addresses that contain a
 * password. Values too short to tell from a setting, and paths of credential files, are ignored.
 */

import { credentialsOf, secretsInAddress } from '../model/address.ts';

/** `GITHUB_TOKEN`, `API_KEY`, `npm_config__auth`, `GH_PAT`, `MYSQL_PWD`, … */
const ENDS_LIKE_A_CREDENTIAL =
  /(?:^|_)(?:KEY|TOKEN|AUTHTOKEN|SECRET|PASSPHRASE|CREDENTIALS?|PAT|_AUTH)$|_PWD$|^AWS_ACCESS_KEY_ID$|CONNECTION_?STRING$/i;
/** `PGPASSWORD`, `DB_PASSWORD_PROD`, `OPENAI_APIKEY`, … */
const NAMES_A_CREDENTIAL = /PASSWORD|PASSWD|API_?KEY|SECRET_?KEY|ACCESS_?TOKEN|PRIVATE_?KEY/i;
/** Such a variable contains the path of the credential, or a program that knows it. */
const NAMES_ITS_PLACE = /_(?:FILE|PATH|DIR|FOLDER|URL|URI|COMMAND|CMD|HELPER|NAME)$/i;

const SHORTEST_CREDENTIAL = 8;
const SHORTEST_PASSWORD = 6;
/** A user name of this length before `@` is a token without a password. */
const SHORTEST_TOKEN_AS_USER = 20;

function isCredentialName(name: string): boolean {
  return ENDS_LIKE_A_CREDENTIAL.test(name) || (NAMES_A_CREDENTIAL.test(name) && !NAMES_ITS_PLACE.test(name));
}

/** The values of one variable to keep secret. */
export function credentialsIn(name: string, value: string): readonly string[] {
  const inAddress = credentialsInAddress(value);
  const shortest = /PASSW/i.test(name) ? SHORTEST_PASSWORD : SHORTEST_CREDENTIAL;
  return isCredentialName(name) && value.length >= shortest ? [value, ...inAddress] : inAddress;
}

/**
 * `postgres://user:password@host/db` gives the password. One that repeats the user or the service (`postgres:postgres`) hides nothing,
 * and masking it would hide the word everywhere.
 */
function credentialsInAddress(value: string): readonly string[] {
  if (!value.includes('://')) return [];
  const secrets = secretsInAddress(value);
  const { user, password } = credentialsOf(value) ?? { user: '', password: '' };
  const isName = (secret: string): boolean =>
    secret === user
      ? password === user || secret.length < SHORTEST_TOKEN_AS_USER
      : value.toLowerCase().startsWith(secret.toLowerCase());
  return secrets.filter((secret) => secret.length >= SHORTEST_PASSWORD && !isName(secret));
}
