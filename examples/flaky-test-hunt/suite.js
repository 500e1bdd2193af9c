const [seed, order] = process.argv.slice(2);

const isLoginLast = order === 'random' && Number(seed) % 2 === 0;
console.log(isLoginLast ? 'not ok cart\nok login' : 'ok login\nok cart');
process.exitCode = isLoginLast ? 1 : 0;
