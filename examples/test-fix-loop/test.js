const { add } = require('./add.js');

const sum = add(2, 2);
if (sum !== 4) {
  console.log(`expected 4, got ${sum}`);
  process.exit(1);
}
console.log('1 test passed');
