import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { temporaryFolder } from '#tests/helpers/temporary_folder'

import { withLineLinks } from '../../bin/line_links.js'

const ARCHITECTURE = 'docs/architecture.md'
const SOURCE = `/* A file. */
export class Relay {
  async start(): Promise<void> {}
}

export const answer = 42
`

test.group('Links from the documentation to lines of code', () => {
  test('the links of the architecture page lead to the lines of what they name', async ({
    assert,
  }) => {
    const page = await readFile(ARCHITECTURE, 'utf8')
    assert.isAbove(page.match(/\.ts#L\d+\)/g)?.length ?? 0, 30)
    assert.equal(withLineLinks(page, ARCHITECTURE), page, 'run "npm run docs:generate"')
  })

  test('a link leads to the line of the definition after that moved', async ({
    assert,
    cleanup,
  }) => {
    const page = await pageBeside(SOURCE, cleanup)
    assert.equal(
      withLineLinks(
        '[`Relay`](relay.ts#L9), [`Relay.start`](relay.ts), [`answer`](relay.ts#L1)',
        page
      ),
      '[`Relay`](relay.ts#L2), [`Relay.start`](relay.ts#L3), [`answer`](relay.ts#L6)'
    )
  })

  test('a link to a whole file has no line', async ({ assert, cleanup }) => {
    const page = await pageBeside(SOURCE, cleanup)
    assert.equal(withLineLinks('[`relay.ts`](relay.ts#L9)', page), '[`relay.ts`](relay.ts)')
  })

  test('a name that the file does not define is reported with the file', async ({
    assert,
    cleanup,
  }) => {
    const page = await pageBeside(SOURCE, cleanup)
    assert.throws(
      () => withLineLinks('[`Relay.stop`](relay.ts#L3)', page),
      /relay\.ts defines no stop/
    )
  })

  test('a missing file is reported, even without a line', async ({ assert, cleanup }) => {
    const page = await pageBeside(SOURCE, cleanup)
    for (const link of ['[`Lane`](lane.ts#L3)', '[`lane.ts`](lane.ts)']) {
      assert.throws(() => withLineLinks(link, page), /lane\.ts/)
    }
  })
})

/** The address of a page in a folder of its own, in which `relay.ts` is written. */
async function pageBeside(source: string, cleanup: (undo: () => Promise<void>) => void) {
  const folder = await temporaryFolder(cleanup)
  await writeFile(join(folder, 'relay.ts'), source)
  return join(folder, 'page.md')
}
