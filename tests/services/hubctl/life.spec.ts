import { test } from '@japa/runner'
import { connect } from 'amqplib'

import { HarborServer } from '#tests/helpers/core/harbor_server'
import { eventually } from '#tests/helpers/eventually'
import { Caller } from '#tests/services/life/caller'
import { LifeInstallation } from '#tests/services/life/installation'
import { PlainWorker } from '#tests/services/life/worker'
import { Machine } from './hubctl.js'

const SOON_MS = 60_000
const QUEUE = 'storageBucketTasks'

/** A platform with a broker and a worker, as an installation has them; everything else is done by hubctl. */
test.group('The life of an analysis with hubctl', (group) => {
  let hub: LifeInstallation
  let harbor: HarborServer
  let worker: PlainWorker
  let machine: Machine
  group.setup(async () => {
    hub = await LifeInstallation.start('one process')
    harbor = await HarborServer.start()
    const itself = { grant_type: 'client_credentials', ...hub.worker }
    worker = await PlainWorker.start(hub.broker.url, await Caller.login(hub, itself))
    machine = await Machine.createRecord()
    const { origin } = new URL(hub.at('core', ''))
    await machine.login(origin, 'admin', 'start123', '--context', 'admin')
    return async () => {
      await worker.stop()
      await harbor.stop()
      await hub.stop()
      await machine.remove()
    }
  })

  const becomes = (args: readonly string[], isSo: (found: any) => boolean) =>
    eventually(async () => isSo(await machine.json('get', ...args)), SOON_MS)

  test('the life leads from nothing to its execution', async ({ assert }) => {
    await prepareProject()
    await machine.must('project', 'approve', 'study', '--comment', 'fine')
    await machine.must('create', 'analysis', 'name=trial', 'projectId=study', 'masterImageId=base')
    await machine.must('create', 'analysis-node', 'analysisId=trial', 'nodeId=center')
    await machine.write('main.py', 'print(1)\n')
    await machine.must('bucket', 'cp', 'main.py', 'code@trial:')
    await machine.must('analysis', 'entrypoint', 'trial', 'main.py')
    const complete = await machine.must('analysis', 'explain', 'trial')
    await machine.must('analysis', 'lock', 'trial')
    await machine.must('analysis', 'approve', 'trial')
    await machine.must('analysis', 'build', 'trial')
    await becomes(['analysis', 'trial'], ({ buildStatus }) => buildStatus === 'executed')
    await machine.must('analysis', 'distribute', 'trial')
    await becomes(
      ['analysis', 'trial'],
      ({ distributionStatus }) => distributionStatus === 'executed'
    )
    for (const node of ['north', 'center']) {
      await executeAt(node)
    }
    const { executionStatus } = await machine.json('get', 'analysis', 'trial')
    const explained = await machine.json('analysis', 'explain', 'trial')
    const timeline = await machine.must('analysis', 'timeline', 'trial', '--limit', '200')

    assert.match(complete, /hubctl analysis lock trial$/m)
    assert.equal(executionStatus, 'executed')
    assert.equal(explained.phase, 'finished')
    assert.match(timeline, /status +north +- +executionStatus: executed/)
    assert.match(timeline, /event +- +admin +updated: configurationLocked: yes/)
    assert.match(timeline, /event +- +north +updated: executionStatus: executing/)
  }).timeout(600_000)

  test('dead letters are listed, redriven, and deleted', async ({ assert }) => {
    const dead = () => machine.json('bus', 'dead')
    await publish(QUEUE, '{"type":"createBucket"')
    await eventually(async () => (await dead()).length === 1, SOON_MS)
    const [before] = await dead()
    const counted = await machine.call(['bus', 'status'])
    const back = await machine.must('bus', 'redrive', before.id)
    await eventually(async () => (await dead()).some(({ id }: any) => id !== before.id), SOON_MS)
    const [again] = await dead()
    const unknown = await machine.call(['bus', 'redrive', before.id])
    await machine.must('bus', 'drop', again.id, '--yes')
    const status = await machine.must('status')

    assert.equal(counted.code, 9)
    assert.match(counted.stdout, new RegExp(`${QUEUE} +1 `))
    assert.match(back, new RegExp(`The message ${before.id} of ${QUEUE} was requeued`))
    assert.include(again.reason, 'malformed')
    assert.equal(unknown.code, 5)
    assert.match(status, /^ok {4}queues +no dead letters$/m)
  }).timeout(600_000)

  /** As another program would, which does not know how messages have to be. */
  async function publish(queue: string, text: string): Promise<void> {
    const connection = await connect(hub.broker.url)
    const channel = await connection.createConfirmChannel()
    channel.sendToQueue(queue, Buffer.from(text), { persistent: true })
    await channel.waitForConfirms()
    await connection.close()
  }

  /** A registry, a node with data, one that aggregates, an image, and a project of all of them. */
  async function prepareProject(): Promise<void> {
    const secret = await machine.write('harbor.secret', 'Harbor12345\n')
    await machine.must(
      ...['create', 'registry', 'name=harbor', `host=${harbor.host}`],
      ...['accountName=admin', `accountSecret=@${secret}`]
    )
    await machine.must('registry', 'setup', 'harbor')
    await machine.must('create', 'node', 'name=north', 'type=default')
    await machine.must('create', 'node', 'name=center', 'type=aggregator')
    await becomes(['registry-projects'], (projects: any[]) =>
      projects.every(({ externalId }) => externalId !== null)
    )
    worker.hasImages(
      [{ name: 'base', path: 'python/base', virtualPath: 'python/base', command: 'python3' }],
      [{ name: 'python', path: 'python', virtualPath: 'python' }]
    )
    await machine.must('image', 'sync')
    await becomes(['master-images'], (images: any[]) => images.length === 1)
    await machine.must('create', 'project', 'name=study')
    await machine.must('create', 'project-node', 'projectId=study', 'nodeId=north')
    await machine.must('create', 'project-node', 'projectId=study', 'nodeId=center')
  }

  /** As the node itself, with its own login. */
  async function executeAt(node: string): Promise<void> {
    const file = machine.path(`${node}.json`)
    await machine.must('node', 'rotate-credentials', node, '--to', file, '--yes')
    const { id, secret } = JSON.parse(String(await machine.read(`${node}.json`)))
    const { id: nodeId } = await machine.json('get', 'node', node)
    const [part] = await machine.json('get', 'analysis-nodes', '--filter', `nodeId=${nodeId}`)
    const { origin } = new URL(hub.at('core', ''))
    const { code, stderr } = await machine.call(
      ['login', '--url', origin, '--context', node, '--client', id, '--stdin'],
      { stdin: secret }
    )
    if (code !== 0) {
      throw new Error(stderr)
    }
    for (const status of ['executing', 'executed']) {
      await machine.must('update', 'analysis-node', part.id, `executionStatus=${status}`)
    }
    await machine.must('context', 'use', 'admin')
  }
})
