import { test } from '@japa/runner'

import { ARCHITECTURES } from '#image/architectures'
import { debianContents, missedAmong } from '#image/missed_updates'
import { billOfMaterials } from '#image/sbom'

const FACTS = {
  version: '1.2.3',
  commit: { id: '0'.repeat(40), at: new Date('2026-01-02T03:04:05Z'), isModified: false },
  hasDatabase: false,
}

const PACKAGES = [
  { name: 'libc6', version: '2.41-12+deb13u4' },
  { name: 'libstdc++6', version: '14.2.0-19' },
  { name: 'tini', version: '1:0.19.0-3' },
]

/** What `apt-cache show` prints. */
const shown = (versions: Readonly<Record<string, string>>): string =>
  Object.entries(versions)
    .map(([name, version]) => `Package: ${name}\nSource: any\nVersion: ${version}\n`)
    .join('\n')

test.group('Updates of Debian that an image lacks', () => {
  test('updates are found for what its bill of materials lists', async ({ assert }) => {
    const [, architecture] = ARCHITECTURES
    const debian = PACKAGES.map((one) => ({ ...one, control: '', folder: '/nowhere' }))
    const bytes = await billOfMaterials(FACTS, architecture!, { debian, npm: [] })
    assert.deepEqual(debianContents(bytes.toString()), { architecture, packages: PACKAGES })
  })

  test('updates are the newer versions, in the order of Debian', async ({ assert }) => {
    const offered = {
      'libc6': '2.41-12+deb13u10',
      'libstdc++6': '14.2.0-19~bpo12+1',
      'tini': '1:0.19.0-3',
      'another': '1.0',
    }
    assert.deepEqual(await missedAmong(PACKAGES, shown(offered)), [
      { name: 'libc6', version: '2.41-12+deb13u4', newest: '2.41-12+deb13u10' },
    ])
  })

  test('updates cannot be found without a bill of materials')
    .with(['', '{}', '[]', '{"packages":[]}', '{"packages":[{"name":"libc6"}]}'])
    .run(({ assert }, text) => {
      assert.throws(() => debianContents(text), /not (a|the) bill of materials/)
    })
})
