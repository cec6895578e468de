import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'

import { test } from '@japa/runner'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** How the code says which codes there are: failures, issues, rules for bodies and queries, guards. */
const WAYS = [
  { files: '{app,packages}/**/*.ts', says: /\bsuper\(\s*\d{3},\s*'(\w+)'/g },
  { files: '{app,packages}/**/*.ts', says: /\bissue\('(\w+)'/g },
  { files: 'app/http/failure_of.ts', says: /^ {2}\d{3}: '(\w+)'/gm },
  { files: 'packages/kernel/src/body_issues.ts', says: /\bcode: '(\w+)'/g },
  { files: 'app/core/analysis_life/*.ts', says: /\bcode: '(\w+)'/g },
  { files: 'app/core/command_warnings.ts', says: /\bcode: '(\w+)'/g },
  { files: 'app/query/errors.ts', says: /^ {2}(\w+):\s+'/gm },
]
/** In pages of parameters, not codes. */
const OF_QUERIES = new Set(['filters', 'pagination', 'sorts'])

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

function codesInUse(): Set<string> {
  const found = WAYS.flatMap(({ files, says }) =>
    globSync(files, { cwd: ROOT }).flatMap((file) => [...read(file).matchAll(says)])
  )
  return new Set(found.map(([, code]) => code!).filter((code) => !OF_QUERIES.has(code)))
}

test.group('Codes of errors', () => {
  test('codes are all explained in docs/errors.md, and no others', ({ assert }) => {
    const explained = [...read('docs/errors.md').matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code!)
    assert.sameMembers(explained, [...codesInUse()])
  })
})
