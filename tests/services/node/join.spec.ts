import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { Machine } from '#tests/services/hubctl/hubctl'
import { ShownProcess } from './shown_process.js'
import { TestSandbox } from './test_sandbox.js'

const MEAN = join(import.meta.dirname, '../../../examples/mean')

/** A sandbox is the hub elsewhere. The node joins from another home and another folder. */
test.group('A node that joins a hub elsewhere', (group) => {
  let elsewhere: TestSandbox
  let machine: Machine
  let images: string
  const folder = () => machine.path('sandbox')
  const joinArgs = (name: string, ...more: string[]) => [
    ...['sandbox', '--folder', folder(), 'join', name, '--url', elsewhere.url],
    ...['--images', images, ...more],
  ]

  group.setup(async () => {
    elsewhere = await TestSandbox.create()
    machine = await Machine.createRecord()
    await elsewhere.up()
    images = join(elsewhere.folder, 'hub/images')
    return async () => {
      await elsewhere.remove()
      await machine.remove()
    }
  })
  group.each.timeout(900_000)

  test('the node gets advice to log in first, and to check the address', async ({ assert }) => {
    const anonymous = await machine.call(joinArgs('west'))
    assert.notEqual(anonymous.code, 0)
    assert.match(anonymous.stderr, /Log in: hubctl login/)
    const nowhere = ['sandbox', '--folder', folder(), 'join', 'west', '--url', 'http://localhost:9']
    const unreachable = await machine.call(nowhere)
    assert.notEqual(unreachable.code, 0)
    assert.match(unreachable.stderr, /http:\/\/localhost:9 cannot be reached/)
    const neither = await machine.call(joinArgs('West Clinic'))
    assert.match(neither.stderr, /neither a settings file \(\.yaml\) nor a name/)
  })

  test('the node runs an analysis there, and finds itself again', async ({ assert }) => {
    const secrets = JSON.parse(await readFile(join(elsewhere.folder, 'secrets.json'), 'utf8'))
    await machine.login(elsewhere.url, 'admin', secrets.admin)
    const taken = await machine.call(joinArgs('north'))
    assert.notEqual(taken.code, 0)
    assert.match(taken.stderr, /The hub has a node north already[^]*Choose another name/)

    const first = new ShownProcess(machine.start(joinArgs('west')))
    await first.shows('The node west is ready')
    await first.end()
    const node = new ShownProcess(machine.start(joinArgs('west')))
    try {
      await node.shows('The node west is ready')
      const analyst = ['--context', 'sandbox']
      const { machine: home } = elsewhere
      await home.must(...analyst, 'create', 'project-node', 'projectId=sandbox', 'nodeId=west')
      await machine.must('project', 'approve', 'sandbox', '--node', 'west', '--as-operator')
      const to = home.path('result')
      const nodes = ['--node', 'west', '--node', 'north', '--node', 'center']
      const run = ['analysis', 'run', MEAN, '--project', 'sandbox', '--to', to, ...nodes]
      await home.must(...analyst, ...run)
      const { count } = JSON.parse(await readFile(join(to, 'result.txt'), 'utf8'))
      assert.equal(count, 220)
    } finally {
      await node.end()
    }
  })

  test('with credentials that are wrong says which file they are in', async ({ assert }) => {
    await machine.write(
      'sandbox/nodes/west/credentials.json',
      JSON.stringify({ id: crypto.randomUUID(), secret: 'x'.repeat(20) })
    )
    const settings = machine.path('sandbox/nodes/west/node.yaml')
    const { code, stderr } = await machine.call(['sandbox', 'join', settings])
    assert.notEqual(code, 0)
    assert.match(stderr, /credentials\.json/)
    assert.match(stderr, /hubctl node rotate-credentials/)
  })
})
