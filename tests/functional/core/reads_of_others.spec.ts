import { get } from 'node:http'
import { text } from 'node:stream/consumers'

import { test } from '@japa/runner'

import type { SurfaceName } from '#configuration/surfaces'
import { masterImage } from '#core/master_images/master_image'
import { registryProject } from '#core/registry_projects/registry_project'
import { clock } from '#kernel/clock'
import type { Attributes } from '#records/row'
import { at, boot } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

import { call, Scene, set, type Person } from './analysis_scene.js'

/** Asks for exactly this, letter by letter: `fetch` would write some of it in another way. */
async function read(
  by: Person,
  path: string,
  surface: SurfaceName = 'core'
): Promise<{ status: number; dropped: string | undefined; text: string; body: any }> {
  const { origin, pathname } = new URL(at(surface, ''))
  return new Promise((resolve, reject) => {
    const options = { path: pathname.replace(/\/$/, '') + path, headers: by.headers }
    get(origin, options, async (response) => {
      const answered = await text(response)
      const isJson = response.headers['content-type']?.startsWith('application/json')
      const dropped = response.headers['x-dropped-keys'] as string | undefined
      const body = isJson ? JSON.parse(answered) : undefined
      resolve({ status: response.statusCode!, dropped, text: answered, body })
    }).on('error', reject)
  })
}

const idsOf = ({ body }: { body: any }) => body.data.map(({ id }: Attributes) => id)

test.group('Reads of workers', (group) => {
  let scene: Scene
  let analysis: Attributes
  const worker = identity({ kind: 'client' })
  const CODEC = 'codec=url-expression'

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
  })

  test('workers find an analysis, with the codec or without anything', async ({ assert }) => {
    for (const query of ['', `?${CODEC}`]) {
      const answer = await read(worker, `/analyses/${analysis.id}${query}`)
      assert.equal(answer.status, 200)
      assert.equal(answer.body.data.id, analysis.id)
    }
  })

  test('workers find the bucket with the code, in whichever order they ask', async ({ assert }) => {
    const code = await scene.bucket(analysis)
    await scene.bucket(analysis, 'RESULT')
    await scene.bucket(await scene.analysis())
    for (const filter of [
      `and(eq(analysisId%2C'${analysis.id}')%2Ceq(type%2C'CODE'))`,
      `and(eq(type%2C'CODE')%2Ceq(analysisId%2C'${analysis.id}'))`,
      `and(eq(type,'CODE'),eq(analysisId,'${analysis.id}'))`,
    ]) {
      const answer = await read(worker, `/analysis-buckets?${CODEC}&filter=${filter}`)
      assert.equal(answer.status, 200)
      assert.isUndefined(answer.dropped)
      assert.deepEqual(idsOf(answer), [code.id])
    }
  })

  test('workers find the file to start with, in whichever order they ask', async ({ assert }) => {
    const code = await scene.bucket(analysis)
    const main = await scene.file(code, { path: 'main.py', root: true })
    await scene.file(code, { path: 'more.py' })
    for (const filter of [
      `and(eq(root%2C'true')%2Ceq(analysisBucketId%2C'${code.id}'))`,
      `and(eq(analysisBucketId%2C'${code.id}')%2Ceq(root%2C'true'))`,
    ]) {
      const answer = await read(worker, `/analysis-bucket-files?${CODEC}&filter=${filter}`)
      assert.equal(answer.status, 200)
      assert.isUndefined(answer.dropped)
      assert.deepEqual(idsOf(answer), [main.id])
    }
  })

  test('workers go through all files of a bucket, fifty at a time', async ({ assert }) => {
    const code = await scene.bucket(analysis)
    for (const number of Array(60).keys()) {
      await scene.file(code, { path: `file-${number}.py` })
    }
    const list = `/analysis-bucket-files?${CODEC}&filter=eq(analysisBucketId%2C'${code.id}')`
    const first = await read(worker, `${list}&page%5Blimit%5D=50`)
    const second = await read(worker, `${list}&page%5Blimit%5D=50&page%5Boffset%5D=50`)
    assert.deepEqual([first.status, second.status], [200, 200])
    assert.containSubset(first.body.meta, { total: 60, limit: 50, offset: 0 })
    assert.containSubset(second.body.meta, { total: 60, limit: 50, offset: 50 })
    assert.lengthOf(idsOf(first), 50)
    assert.lengthOf(new Set([...idsOf(first), ...idsOf(second)]), 60)
  })

  test('workers find an image with its command and its arguments', async ({ assert }) => {
    const image = await scene.image()
    const answer = await read(worker, `/master-images/${image.id}?${CODEC}`)
    assert.equal(answer.status, 200)
    const { id, virtualPath, command, commandArguments } = answer.body.data
    assert.deepEqual([id, virtualPath, command], [image.id, image.virtualPath, image.command])
    assert.isArray(commandArguments)
  })

  test('workers find a registry with its secret, which others do not see', async ({ assert }) => {
    const { id } = await scene.registry()
    const path = `/registries/${id}?${CODEC}&fields=%2BaccountSecret`
    const answer = await read(worker, path)
    assert.equal(answer.status, 200)
    assert.isString(answer.body.data.host)
    assert.isString(answer.body.data.accountName)
    assert.isString(answer.body.data.accountSecret)
    const others = await read(scene.researcher(), path)
    assert.equal(others.status, 200)
    assert.notProperty(others.body.data, 'accountSecret')
  })

  test('workers find the nodes that are assigned', async ({ assert }) => {
    const assigned = [await scene.assigned(analysis), await scene.assigned(analysis)]
    const filter = `eq(analysisId%2C'${analysis.id}')`
    const answer = await read(
      worker,
      `/analysis-nodes?${CODEC}&filter=${filter}&page%5Blimit%5D=50`
    )
    assert.equal(answer.status, 200)
    assert.isUndefined(answer.dropped)
    assert.sameMembers(
      idsOf(answer),
      assigned.map(({ id }) => id)
    )
    assert.isTrue(answer.body.data.every(({ nodeId }: Attributes) => typeof nodeId === 'string'))
  })

  test('workers find nodes with their projects in the registry', async ({ assert }) => {
    const nodes = [await scene.node(), await scene.node()]
    const projects = await Promise.all(nodes.map(() => sampleRecord('core', registryProject)))
    for (const [index, { id }] of nodes.entries()) {
      await set('nodes', id, { registry_project_id: projects[index]!.id })
    }
    const ids = nodes.map(({ id }) => `'${id}'`).join('%2C')
    const answer = await read(
      worker,
      `/nodes?${CODEC}&filter=in(id%2C${ids})&page%5Blimit%5D=50&include=registryProject`
    )
    assert.equal(answer.status, 200)
    assert.isUndefined(answer.dropped)
    assert.sameMembers(
      answer.body.data.map((node: any) => node.registryProject.externalName),
      projects.map(({ externalName }) => externalName)
    )
  })

  test('workers find a stored file and its bucket as an archive', async ({ assert }) => {
    const code = await scene.bucket(analysis)
    const { bucketFileId } = await scene.codeFile(code, { path: 'main.py' })
    const file = await read(worker, `/bucket-files/${bucketFileId}?${CODEC}`, 'storage')
    assert.equal(file.status, 200)
    assert.isString(file.body.data.directory)
    assert.isString(file.body.data.name)
    const tar = await read(worker, `/buckets/${file.body.data.bucketId}/stream`, 'storage')
    assert.equal(tar.status, 200)
    assert.include(tar.text, 'content')
  })
})

test.group('Reads of the web interface', (group) => {
  let scene: Scene
  let analysis: Attributes

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
  })

  test('name the fields of the record and of what comes with it', async ({ assert }) => {
    const registry = await scene.registry()
    const { id } = await scene.node('default', { registryId: registry.id })
    const fields = 'fields%5B%24root%5D=id&fields%5Bregistry%5D=name'
    const filter = `eq(id%2C'${id}')`
    const page = 'page%5Blimit%5D=10&page%5Boffset%5D=0'
    const answer = await read(
      scene.researcher(),
      `/nodes?codec=url-expression&${fields}&filter=${filter}&${page}&include=registry&sort=-updatedAt`
    )
    assert.equal(answer.status, 200)
    assert.isUndefined(answer.dropped)
    const { id: registryId, name } = registry
    assert.deepEqual(answer.body.data, [{ id, registry: { id: registryId, name } }])
    assert.containSubset(answer.body.meta, { total: 1, limit: 10, offset: 0 })
  })

  test('the web interface can sort assignments by the names of their nodes', async ({ assert }) => {
    await Promise.all([scene.assigned(analysis), scene.assigned(analysis)])
    for (const [collection, filter] of [
      ['analysis-nodes', `eq(analysisId%2C'${analysis.id}')`],
      ['project-nodes', `eq(projectId%2C'${scene.project.id}')`],
    ]) {
      const answer = await read(
        scene.researcher(),
        `/${collection}?codec=url-expression&filter=${filter}&include=node&sort=node.name`
      )
      assert.equal(answer.status, 200)
      assert.isUndefined(answer.dropped)
      const names = answer.body.data.map(({ node }: any) => node.name)
      assert.lengthOf(names, 2)
      assert.deepEqual(names, names.toSorted())
    }
  })

  test('the web interface can find assignments by the project of their analysis', async ({
    assert,
  }) => {
    const { id } = await scene.assigned(analysis)
    await (await Scene.set()).analysis()
    const filter = `eq(analysis.projectId%2C'${scene.project.id}')`
    const answer = await read(
      scene.researcher(),
      `/analysis-nodes?codec=url-expression&filter=${filter}&include=analysis`
    )
    assert.equal(answer.status, 200)
    assert.isUndefined(answer.dropped)
    assert.deepEqual(idsOf(answer), [id])
  })

  test('the web interface can search events of a realm and of none', async ({ assert }) => {
    await boot()
    const admin = scene.admin()
    const name = `upd-${clock.uuid()}`
    const event = { scope: 'entity', name, refType: 'analysis', refId: analysis.id }
    const send = async (body: object) => {
      const headers = { ...admin.headers, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const { data } = (await (await fetch(at('telemetry', '/events'), init)).json()) as any
      return data.id
    }
    const realmId = scene.realms.project
    const own = await send({ ...event, realmId })
    await send({ ...event, realmId: scene.realms.node })
    const filter = `and(in(realmId%2C'${realmId}'%2Cnull)%2Ccontains(name%2C'${name}'))`
    for (const sort of ['-createdAt', '-updatedAt']) {
      const path = `/events?codec=url-expression&filter=${filter}&sort=${sort}`
      const answer = await read(admin, path, 'telemetry')
      assert.equal(answer.status, 200)
      assert.deepEqual(idsOf(answer), [own])
    }
  })

  test('the web interface can find images of the repository, in no order of their own', async ({
    assert,
  }) => {
    const { id } = await sampleRecord('core', masterImage)
    const filter = `eq(id%2C'${id}')`
    const answer = await read(
      scene.researcher(),
      `/master-images?codec=url-expression&filter=${filter}&page%5Blimit%5D=50&sort=virtualPath`
    )
    assert.equal(answer.status, 200)
    assert.equal(answer.dropped, 'sorts.virtualPath')
    assert.deepEqual(idsOf(answer), [id])
  })
})

test.group('Reads of programs at nodes', (group) => {
  let scene: Scene
  let node: Attributes
  const PAGE = 'page%5Blimit%5D=50&page%5Boffset%5D=0'

  group.each.setup(async () => {
    scene = await Scene.set()
    node = await scene.node('default', { clientId: clock.uuid() })
  })

  test('programs find their own node by their client', async ({ assert }) => {
    const client = scene.clientOf(node)
    const answer = await read(client, `/nodes?filter%5BclientId%5D=${node.clientId}&fields=id`)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body.data, [{ id: node.id }])
  })

  test('programs find what they are assigned to, by an order of old that is left out', async ({
    assert,
  }) => {
    const analysis = await scene.analysis()
    const { id, node: assigned } = (await scene.assigned(analysis, 'approved')) as any
    const answer = await read(
      scene.clientOf(assigned),
      `/analysis-nodes?filter%5BnodeId%5D=${assigned.id}&include=node%2Canalysis&sort=-updated_at&${PAGE}`
    )
    assert.equal(answer.status, 200)
    assert.equal(answer.dropped, 'sorts.updated_at')
    assert.deepEqual(idsOf(answer), [id])
    assert.equal(answer.body.data[0].analysis.id, analysis.id)
  })

  test('compare with operators in front of values', async ({ assert }) => {
    const ends = String(node.name).slice(-6)
    const { body } = await call(scene.researcher(), 'GET', `/nodes/${node.id}`)
    assert.equal(body.data.name, node.name)
    const ofRealm = `filter%5BrealmId%5D=${node.realmId}`
    for (const [filter, found] of [
      [`filter%5Bname%5D=~${ends}`, [node.id]],
      [`filter%5Bname%5D=!${node.name}`, []],
      [`filter%5Bname%5D=${node.name}`, [node.id]],
    ] as const) {
      const path = `/nodes?${ofRealm}&${filter}&sort=-createdAt&${PAGE}`
      const answer = await read(scene.clientOf(node), path)
      assert.equal(answer.status, 200)
      assert.isUndefined(answer.dropped)
      assert.deepEqual(idsOf(answer), found)
    }
  })
})
