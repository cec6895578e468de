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

const HEART = '4d3f5c1e-2f6a-4f0e-9d3c-8a1b7c6e5f01'
const LUNG = '9b2e7d40-6c1f-4e8a-a5d2-3f4c6b8d7e02'

test.group('The policy of a node', () => {
  test('a policy gives nothing and approves nothing by default', ({ assert }) => {
    const policy = new Policy()
    assert.equal(policy.approve, 'ask')
    assert.deepEqual(policy.sourcesOf(HEART), [])
  })

  test('a policy gives a source to the projects that it names by id', async ({
    assert,
    cleanup,
  }) => {
    const policy = await policyOf(
      cleanup,
      `data:
  - { name: heart, folder: heart, projects: [${HEART}] }
  - { name: lung, fhir: 'http://fhir.example.org/r4', projects: [${LUNG.toUpperCase()}] }
  - { name: open, folder: /srv/open, projects: ['*'] }
`
    )
    const names = (id: string) => policy.sourcesOf(id).map((source) => source.name)
    assert.deepEqual(names(HEART), ['heart', 'open'])
    assert.deepEqual(names(LUNG), ['lung', 'open'])
    assert.deepEqual(names('0b6e0c1c-5d3c-4f0e-8f55-3a7d3b0e7a01'), ['open'])
  })

  test('a policy does not take the name of a project, which others may take', async ({
    assert,
    cleanup,
  }) => {
    await assert.rejects(
      () => policyOf(cleanup, 'data: [{ name: heart, folder: x, projects: [heart-study] }]'),
      /Name a project by its id/
    )
  })

  test('a policy names the nodes whose files have the former form', async ({ assert, cleanup }) => {
    const id = '7c1f2a9e-0a44-4b6b-9d0e-51f0c2f9d102'
    const policy = await policyOf(cleanup, `nodes: [{ id: ${id}, seal: former }]`)
    assert.isTrue(policy.sealsAsBefore(id))
    assert.isFalse(policy.sealsAsBefore('0b6e0c1c-5d3c-4f0e-8f55-3a7d3b0e7a01'))
    assert.isFalse(new Policy().sealsAsBefore(id))
  })

  test('a policy says which setting it does not know', async ({ assert, cleanup }) => {
    await assert.rejects(() => policyOf(cleanup, 'aprove: auto'), SettingsInvalid, /aprove/)
  })

  test('a policy refuses {text}')
    .with([
      { text: 'approve: always' },
      { text: 'atOnce: 0' },
      { text: 'limits: { memoryMiB: "1024" }' },
      { text: 'data: [{ name: A B, folder: x, projects: ["*"] }]' },
      { text: 'data: [{ name: a, projects: ["*"] }]' },
      { text: 'nodes: [{ id: north, seal: former }]' },
      { text: 'nodes: [{ id: 7c1f2a9e-0a44-4b6b-9d0e-51f0c2f9d102, seal: none }]' },
      { text: '- a list' },
      { text: '{ not yaml' },
    ])
    .run(async ({ assert, cleanup }, { text }) => {
      await assert.rejects(() => policyOf(cleanup, text), SettingsInvalid)
    })
})
