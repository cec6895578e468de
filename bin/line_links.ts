import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A link to a definition: its text is the name, its address a file and an optional line. */
const LINK = /\[`([^`]+)`\]\(([^)#\s]+\.(?:ts|mjs))(?:#L\d+)?\)/g

/** Updates the lines of the links to code in a page. Throws if a file does not exist or does not define the name. */
export function withLineLinks(page: string, file: string): string {
  return page.replace(LINK, (_, name: string, path: string) => {
    const source = join(dirname(file), path)
    if (!existsSync(source)) {
      throw new Error(`${source} does not exist, but a page of the documentation links to it`)
    }
    const line = name.endsWith('.ts') ? '' : `#L${lineOf(name, source)}`
    return `[\`${name}\`](${path}${line})`
  })
}

function lineOf(name: string, source: string): number {
  const lines = readFileSync(source, 'utf8').split('\n')
  const word = name.replace(/\(\)$/, '').split('.').at(-1)!
  const definition = definitionOf(word)
  const index = lines.findIndex((line) => definition.test(line))
  if (index < 0) {
    throw new Error(`${source} defines no ${word}, but a page of the documentation links to it`)
  }
  return index + 1
}

/** Matches the declaration of a function, class, constant, method or property. */
function definitionOf(word: string): RegExp {
  const name = word.replace(/[$#]/g, '\\$&')
  const declared = `(export (default )?)?(abstract )?(async )?(function\\*?|class|const|let|interface|type) ${name}\\b`
  const member = `((protected|private|override|static|readonly|async) )*\\*?${name}\\s*[(:=<]`
  return new RegExp(`^\\s*(${declared}|${member})`)
}
