/** The licences of the packages whose code is part of the built program: bundled code keeps its notices. */
import fs from 'node:fs';
import path from 'node:path';

const NAMES = /^(licen[cs]e|copying)(\.(md|txt))?$/i;

/** One text for all packages that these modules belong to. */
export function renderLicenses(moduleIds) {
  const folders = new Set(moduleIds.map(packageFolder).filter((folder) => folder !== undefined));
  const notices = [...folders].sort().map(notice);
  return `The program contains code of these packages.\n\n${notices.join('\n')}`;
}

/** `…/node_modules/@scope/name` of a file in it. */
function packageFolder(file) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file.replace(/^\0+/, ''))?.[0];
}

/** A few packages have no file with the text of their licence, only its name. */
function notice(folder) {
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const { name, version, license, author } = manifest;
  if (license === undefined) throw new Error(`${name} does not name its licence`);
  const by = author?.name ?? author;
  const heading = `${'-'.repeat(80)}\n${name} ${version}, ${license}${by === undefined ? '' : `, ${by}`}\n`;
  const file = fs.readdirSync(folder).find((each) => NAMES.test(each));
  if (file === undefined) return heading;
  return `${heading}\n${fs.readFileSync(path.join(folder, file), 'utf8').trim()}\n`;
}
