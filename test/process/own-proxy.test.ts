import { expect, it } from 'vitest';
import { ownProxy } from '../../src/process/sandbox/own-proxy.ts';

const AT = { host: 'api.example.com', port: 443, isTunnel: true };
const PROXY = { host: 'proxy', port: 3128, isTls: false };

it.each([
  ['in capital letters', { HTTPS_PROXY: 'http://proxy:3128' }, PROXY],
  ['in small letters, which have precedence', { https_proxy: 'http://proxy:3128', HTTPS_PROXY: 'x' }, PROXY],
  ['without a protocol', { HTTPS_PROXY: 'proxy:3128' }, PROXY],
  ['for everything', { ALL_PROXY: 'http://proxy:3128' }, PROXY],
  ['with TLS', { HTTPS_PROXY: 'https://proxy' }, { host: 'proxy', port: 443, isTls: true }],
  ['at an address', { HTTPS_PROXY: 'http://[::1]:8080' }, { host: '::1', port: 8080, isTls: false }],
  [
    'with a password',
    { HTTPS_PROXY: 'http://me:p%40ss@proxy:3128' },
    { ...PROXY, authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}` },
  ],
] as const)('a proxy is used: %s', (_, env, proxy) => {
  expect(ownProxy(env, AT)).toEqual(proxy);
});

it.each([
  ['none is set', {}],
  ['an empty one is set', { HTTPS_PROXY: '' }],
  ['it is only for plain requests', { HTTP_PROXY: 'http://proxy:3128' }],
  ['it is SOCKS', { ALL_PROXY: 'socks5://proxy:1080' }],
  ['it is not an address', { HTTPS_PROXY: 'http://' }],
  ['the host is excepted', { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'a.org, API.example.com' }],
  ['a domain is excepted', { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '.example.com' }],
  ['a domain is excepted with a star', { HTTPS_PROXY: 'http://proxy:3128', no_proxy: '*.example.com' }],
  ['the host is excepted with its port', { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'example.com:443' }],
  ['everything is excepted', { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '*' }],
] as const)('no proxy is used if %s', (_, env) => {
  expect(ownProxy(env, AT)).toBe(undefined);
});

it('a proxy is used for another port or name than the excepted one', () => {
  const env = { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'example.com:8443,ple.com,other.org' };
  expect(ownProxy(env, AT)).toEqual(PROXY);
});

it.each(['localhost', '127.0.0.1', '127.8.8.8', '::1'])('%s is always reached directly', (host) => {
  expect(ownProxy({ HTTPS_PROXY: 'http://proxy:3128' }, { ...AT, host })).toBe(undefined);
});
