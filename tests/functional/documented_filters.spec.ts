import { readdir, readFile } from 'node:fs/promises'

import { test } from '@japa/runner'

import { allKinds } from '#tests/helpers/records/all_kinds'

const DOCS = new URL('../../docs/', import.meta.url)

/** `hubctl get <kinds> … --filter <key>=`, and what the handbook says of the option. */
const COMMAND = /hubctl get (?<kinds>[\w-]+)[^\n`]*--filter (?<key>\w+)=/g
const OPTION = /`--filter` takes.*?several must all match/s
const EXAMPLE = /`(?<key>\w+)=[^`]*`/g

const filtersOf = ({ collection, declaration }: (typeof allKinds)[number]['kind']) => ({
  name: collection.slice(1),
  keys: declaration.filters?.allowed ?? [],
})

test.group('Filters that the handbook shows', () => {
  const kinds = allKinds.map(({ kind }) => filtersOf(kind))

  test('documented filters are keys of the records they are shown for', async ({ assert }) => {
    for (const file of (await readdir(DOCS)).filter((name) => name.endsWith('.md'))) {
      const text = await readFile(new URL(file, DOCS), 'utf8')
      for (const { groups } of text.matchAll(COMMAND)) {
        const kind = kinds.find(({ name }) => name === groups!.kinds)
        if (kind) {
          assert.include(kind.keys, groups!.key!, `${file}: ${groups!.kinds}`)
        }
      }
    }
  })

  test('documented filters are keys of records where the option is described', async ({
    assert,
  }) => {
    const [text] = OPTION.exec(await readFile(new URL('hubctl.md', DOCS), 'utf8'))!
    const shown = Array.from(text.matchAll(EXAMPLE), ({ groups }) => groups!.key!)
    assert.isNotEmpty(shown)
    for (const key of shown) {
      assert.isTrue(
        kinds.some(({ keys }) => keys.includes(key)),
        `no kind is filtered by ${key}`
      )
    }
  })
})
