import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const BYTES = 4096

/** Files of 4 KiB with real code, taken from this repository. */
export function codeFiles(count: number): Record<string, string> {
  const sources = globSync('{app,tests}/**/*.ts', { cwd: ROOT }).sort()
  const text = Buffer.concat(sources.map((path) => readFileSync(`${ROOT}/${path}`)))
    .toString('latin1')
    .replaceAll(/[^\n\x20-\x7e]/g, '?')
  const chunks = Math.floor(text.length / BYTES)
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => {
      const begin = (n % chunks) * BYTES
      const name = `# ${n}\n`
      return [`package/module_${n}.py`, name + text.slice(begin + name.length, begin + BYTES)]
    })
  )
}
