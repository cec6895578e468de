import { readFileSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const { imports } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'))

/** What stands before `*` in an import map, and the folder that it means. */
const aliases = Object.entries(imports)
  .map(([alias, target]) => ({
    prefix: alias.slice(0, -1),
    folder: resolve(root, target.slice(0, -4)),
  }))
  .sort((one, other) => other.folder.length - one.folder.length)

function pathOf(source, folder) {
  if (source.startsWith('.')) {
    return resolve(folder, source).replace(/\.js$/, '')
  }
  const alias = aliases.find(({ prefix }) => source.startsWith(prefix))
  return alias && resolve(alias.folder, source.slice(alias.prefix.length))
}

function wantedFor(path, folder) {
  if (dirname(path) === folder) {
    return `./${basename(path)}.js`
  }
  const alias = aliases.find((known) => path.startsWith(`${known.folder}/`))
  return alias && `${alias.prefix}${relative(alias.folder, path)}`
}

/** A file of the same folder is imported by `./name.js`, any other by its `#alias/…`. */
export const importPath = {
  meta: {
    type: 'layout',
    fixable: 'code',
    schema: [],
    messages: { other: 'Import this as {{wanted}}' },
  },
  create(context) {
    const folder = dirname(context.filename)
    const check = ({ source }) => {
      if (typeof source?.value !== 'string') {
        return
      }
      const path = pathOf(source.value, folder)
      const wanted = path && wantedFor(path, folder)
      if (!wanted || wanted === source.value) {
        return
      }
      context.report({
        node: source,
        messageId: 'other',
        data: { wanted },
        fix: (fixer) => fixer.replaceText(source, `'${wanted}'`),
      })
    }
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    }
  },
}
