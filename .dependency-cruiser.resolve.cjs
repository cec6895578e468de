/* Where `#room/…` leads, for .dependency-cruiser.cjs: package.json names what was built, the check reads the sources. */
const { imports } = require('./package.json')
const { resolve } = require('node:path')

const folderOf = (target) => resolve(__dirname, target.replace('/*.js', ''))

module.exports = {
  resolve: {
    alias: Object.fromEntries(
      Object.entries(imports).map(([name, target]) => [name.replace('/*', ''), folderOf(target)])
    ),
    extensions: ['.ts', '.mjs', '.js'],
    extensionAlias: { '.js': ['.ts', '.js'] },
  },
}
