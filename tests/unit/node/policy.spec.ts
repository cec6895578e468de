import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { Policy } from '#node/policy/policy'
import { SettingsInvalid } from '#node/errors'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

type Cleanup = Parameters<typeof temporaryFolder>[0]

async function policyOf(cleanup: Cleanup, text: string): Promise<Policy> {
  const file = join(await temporaryFolder(cleanup), 'policy.yaml')
  await writeFile(file, text)
  return Policy.read(file)
}

test.group('The policy of a node', () => {
  test('gives nothing and approves nothing by default', ({ assert }) => {
    const policy = new Policy()
    assert.equal(policy.approve, 'ask')
    assert.deepEqual(policy.sourcesOf({ id: 'p1', name: 'study' }), [])
  })

  test('gives a source to the projects that it names by id or name', async ({
    assert,
    cleanup,
  }) => {
    const policy = await policyOf(
      cleanup,
      `data:
  - { name: heart, folder: heart, projects: [study] }
  - { name: lung, fhir: 'http://fhir.example.org/r4', projects: [p2] }
  - { name: open, folder: /srv/open, projects: ['*'] }
`
    )
    const names = (id: string, name: string) =>
      policy.sourcesOf({ id, name }).map((source) => source.name)
    assert.deepEqual(names('p1', 'study'), ['heart', 'open'])
    assert.deepEqual(names('p2', 'other'), ['lung', 'open'])
    assert.deepEqual(names('p3', 'third'), ['open'])
  })

  test('says which setting it does not know', async ({ assert, cleanup }) => {
    await assert.rejects(() => policyOf(cleanup, 'aprove: auto'), SettingsInvalid, /aprove/)
  })

  test('refuses {text}')
    .with([
      { text: 'approve: always' },
      { text: 'atOnce: 0' },
      { text: 'limits: { memoryMiB: "1024" }' },
      { text: 'data: [{ name: A B, folder: x, projects: [p] }]' },
      { text: 'data: [{ name: a, projects: [p] }]' },
      { text: '- a list' },
      { text: '{ not yaml' },
    ])
    .run(async ({ assert, cleanup }, { text }) => {
      await assert.rejects(() => policyOf(cleanup, text), SettingsInvalid)
    })
})
