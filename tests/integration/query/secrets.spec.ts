import { test } from '@japa/runner'

import { where } from '#query/condition'
import type { Declaration } from '#query/declaration'

import { node, owner, projectId, registry, registryId, registryProject, Scene } from './scene.js'

let scene: Scene

test.group('Secrets', (group) => {
  group.setup(async () => {
    scene = await Scene.open()
    return () => scene.sandbox.close()
  })

  const everywhere: [string, Declaration][] = [
    ['fields=accountSecret', registry],
    ['fields=%2BaccountSecret', registry],
    ['fields=registry.accountSecret', registry],
    ['fields[$root]=accountSecret', registry],
    ['include=registry&fields[registry]=%2BaccountSecret', node],
    ['fields[registry]=accountSecret', node],
    ['fields=registryProject.accountSecret,registryProject.registry.accountSecret', node],
    ['include=registryProject.registry&fields[registryProject][registry]=accountSecret', node],
    ['fields=accountSecret,registry.accountSecret', registryProject],
  ]

  test('a secret is omitted wherever it is selected: {0}')
    .with(everywhere)
    .run(async ({ assert }, [query, declaration]) => {
      const { rows } = await scene.list(query, {}, declaration)
      assert.isNotEmpty(rows)
      assert.notMatch(JSON.stringify(rows), /accountSecret|secret-/)
      const single = await scene.read((rows[0]!.id as string) ?? registryId, query, {}, declaration)
      assert.notMatch(JSON.stringify(single ?? null), /accountSecret|secret-/)
    })

  test('a secret is shown to callers who may see it: {0}')
    .with(everywhere)
    .run(async ({ assert }, [query, declaration]) => {
      const { rows } = await scene.list(query, { reveal: () => true }, declaration)
      assert.match(JSON.stringify(rows), /"accountSecret":"(secret-store|secret-mine)"/)
    })

  test('each kind decides for itself', async ({ assert }) => {
    const reveal = ({ name }: Declaration) => name === 'registry'
    const { rows } = await scene.list(
      'fields=accountSecret,registry.accountSecret',
      { reveal },
      registryProject
    )
    assert.deepEqual(rows[0], { registry: { accountSecret: 'secret-store' } })
  })

  test('a secret can be shown on some rows only, at any depth', async ({ assert }) => {
    const mine = where.sql(
      (row, bind) =>
        `exists (select 1 from nodes m where m.registry_project_id = ${row}.id and m.client_id = ${bind(owner)})`,
      ['id']
    )
    const reveal = ({ name }: Declaration) => name === 'registryProject' && mine
    const projects = await scene.list('fields=name,accountSecret', { reveal }, registryProject)
    assert.deepEqual(projects.rows, [
      { name: 'mine', accountSecret: 'secret-mine' },
      { name: 'theirs' },
    ])

    const nodes = await scene.list('fields=name,registryProject.accountSecret', { reveal }, node)
    assert.deepEqual(nodes.rows, [
      { name: 'a', registryProject: { accountSecret: 'secret-mine' } },
      { name: 'b', registryProject: {} },
    ])
    assert.deepEqual(
      await scene.read(projectId!, 'fields=accountSecret', { reveal }, registryProject),
      {
        accountSecret: 'secret-mine',
      }
    )
  })

  test('nothing is evaluated if no secret is selected', async ({ assert }) => {
    let requested = 0
    const reveal = () => ++requested > 0
    await scene.list('include=registry,registryProject', { reveal }, node)
    assert.strictEqual(requested, 0)
  })
})
