import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { eventually } from '#tests/helpers/eventually'
import { childrenOf, isRunning } from '#node/containers/process_tree'
import { NodeScene } from '#tests/helpers/node/node_scene'

const PROGRAM = fileURLToPath(new URL('../../../bin/hub_node.ts', import.meta.url))
const WITHIN_MS = 120_000

/** `hub-node run` as an operator starts it, at the hub of a scene. */
class SupervisedNode {
  output = ''

  private constructor(readonly supervisor: ChildProcess) {
    for (const stream of [supervisor.stdout!, supervisor.stderr!]) {
      stream.on('data', (chunk: Buffer) => (this.output += chunk))
    }
  }

  static async start(
    { settings }: NodeScene,
    cleanup: (callback: () => Promise<void>) => void,
    changes: Record<string, unknown> = {}
  ): Promise<SupervisedNode> {
    const folder = join(settings.folder, '..')
    const file = (name: string) => join(folder, name)
    await writeFile(file('credentials.json'), JSON.stringify(settings.credentials))
    await writeFile(file('hub.pub'), settings.signingKey)
    const content = {
      hub: settings.hub.url,
      credentials: 'credentials.json',
      signingKey: 'hub.pub',
      images: 'images',
      data: 'node',
      hangSeconds: 10,
      ...changes,
    }
    await writeFile(file('node.yaml'), JSON.stringify(content))
    const supervisor = spawn(
      process.execPath,
      ['--import=@poppinss/ts-exec', PROGRAM, 'run', file('node.yaml')],
      { stdio: ['ignore', 'pipe', 'pipe'] }
    )
    const node = new SupervisedNode(supervisor)
    cleanup(async () => {
      supervisor.kill('SIGKILL')
      await node.exitCode
    })
    return node
  }

  get exitCode(): Promise<number | null> {
    const { supervisor } = this
    return supervisor.exitCode === null && supervisor.signalCode === null
      ? once(supervisor, 'exit').then(([code]) => code)
      : Promise.resolve(supervisor.exitCode)
  }

  /** The process of the node, as soon as it has said so often that it is ready. */
  async pid(times = 1): Promise<number> {
    const isReady = () => this.output.split('is ready').length > times
    await eventually(isReady, WITHIN_MS).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.output}`)
    })
    return childrenOf(this.supervisor.pid!)[0]!
  }
}

test.group('A node and its supervisor', (group) => {
  group.each.timeout(300_000)

  test('a node that hangs is offline at the hub, is ended, and restarted', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const node = await SupervisedNode.start(scene, cleanup)
    const first = await node.pid()
    await eventually(() => scene.hub.isListenedTo, WITHIN_MS)
    process.kill(first, 'SIGSTOP')
    await eventually(() => !scene.hub.isListenedTo, WITHIN_MS)
    assert.isFalse(isRunning(first))
    const second = await node.pid(2)
    assert.notEqual(second, first)
    await eventually(() => scene.hub.isListenedTo, WITHIN_MS)
    assert.match(node.output, /The node did nothing for 10 seconds, and was ended with its runs/)
  })

  test('a node that ends by itself is restarted, and a stopped one is not', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const node = await SupervisedNode.start(scene, cleanup)
    process.kill(await node.pid(), 'SIGKILL')
    const second = await node.pid(2)
    assert.include(node.output, 'The node ended by itself (SIGKILL)')
    node.supervisor.kill('SIGTERM')
    assert.equal(await node.exitCode, 0)
    assert.include(node.output, 'The node ends')
    assert.isFalse(isRunning(second))
  })

  test('a node with wrong settings or credentials is not restarted', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const misspelt = await SupervisedNode.start(scene, cleanup, { hangSecond: 5 })
    assert.equal(await misspelt.exitCode, 1)
    assert.include(misspelt.output, 'there is no setting hangSecond')
    scene.hub.nodes.length = 0
    const unknown = await SupervisedNode.start(scene, cleanup)
    assert.equal(await unknown.exitCode, 1)
    assert.include(unknown.output, 'does not belong to a node')
    assert.notInclude(unknown.output, 'started again')
  })

  test('it ends with its supervisor', async ({ cleanup }) => {
    const scene = await NodeScene.set(cleanup)
    const node = await SupervisedNode.start(scene, cleanup)
    const pid = await node.pid()
    process.kill(pid, 'SIGSTOP')
    node.supervisor.kill('SIGKILL')
    await eventually(() => !isRunning(pid), WITHIN_MS)
  })
})
