import { resolve } from 'node:path'

import { test } from '@japa/runner'
import { ESLint } from 'eslint'

const ROOT = resolve(import.meta.dirname, '../../..')
const RULE = 'state/module-state'

/** The names that the rule refuses in a file of the application. */
async function refused(code: string, file = 'app/core/an_example.ts'): Promise<string[]> {
  const eslint = new ESLint({ cwd: ROOT, ruleFilter: ({ ruleId }) => ruleId === RULE })
  const [result] = await eslint.lintText(code, { filePath: resolve(ROOT, file) })
  return result!.messages.map(({ message, ruleId }) =>
    ruleId === RULE ? /^"(.+?)"/.exec(message)![1]! : message
  )
}

test.group('Lint of the state of modules', () => {
  test('the rule refuses {$self}')
    .with([
      'let count = 0',
      'export let count: number | undefined',
      'const count = new Map<string, number>()',
      'export const count: Set<string> = new Set()',
      'const count = new KeyedMutex()',
      'const count = new EventEmitter<{ entries: [] }>() as Emitter',
      'export const count = cluster.isWorker ? new Membership() : undefined',
      'const count = (await started()) ?? new Counters()',
      'const count = new events.Emitter()',
      'class Counted { static count = new Map() }',
    ])
    .run(async ({ assert }, code) => {
      assert.deepEqual(await refused(code), ['count'])
    })

  test('the rule allows {$self}')
    .with([
      "const WORDS: ReadonlySet<string> = new Set(['a'])",
      'const NONE: ReadonlySet<string> = new Set()',
      'const WORDS = new Map([...POSITIVE, ...NEGATIVE])',
      'const cache = new WeakMap<object, string>()',
      'const cache = new LRUCache<string, string>({ max: 5 })',
      "const sent = new Counter({ name: 'sent', registers: [metrics] })",
      'const open = new AsyncLocalStorage<boolean>()',
      'const NEVER = new AbortController().signal',
      'const keysIn = oncePer((pool: Pool) => new SigningKeys(pool))',
      'function next() { let count = 0; return new Map([[count, 1]]) }',
      'class Counted { readonly #counts = new Map(); static limit = 5 }',
      'declare let count: number',
    ])
    .run(async ({ assert }, code) => {
      assert.isEmpty(await refused(code))
    })

  test('the rule allows a singleton in its own file only', async ({ assert }) => {
    const code = 'export const pools = new Pools()'
    assert.isEmpty(await refused(code, 'app/database/pools.ts'))
    assert.deepEqual(await refused(code), ['pools'])
    assert.deepEqual(await refused('const others = new Pools()', 'app/database/pools.ts'), [
      'others',
    ])
  })
})
