exports.max = (list) => Math.max(...list);
