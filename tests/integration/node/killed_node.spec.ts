import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { eventually } from '#tests/helpers/eventually'
import { NodeScene } from '#tests/helpers/node/node_scene'
import type { NodeProgramOptions } from '#tests/helpers/node/node_program'
import type { HubCall } from '#tests/helpers/node/stand_in_hub'

const PROGRAM = fileURLToPath(new URL('../../helpers/node/node_program.ts', import.meta.url))
const WITHIN_MS = 120_000
const PER_ROUND = 5

const isPull = ({ method, path }: HubCall) => method === 'GET' && path === '/messenger/messages'
const isAcknowledgement = ({ path }: HubCall) => path === '/messenger/messages/ack'

/** When a node is killed: with the request, or with its answer, after the hub has done what was asked. */
const MOMENTS = [
  { what: 'it reads the mailbox', matches: isPull, isDone: false },
  { what: 'it has read the mailbox', matches: isPull, isDone: true },
  { what: 'it acknowledges', matches: isAcknowledgement, isDone: false },
  { what: 'its acknowledgement has no answer yet', matches: isAcknowledgement, isDone: true },
]

test.group('A node that is killed', (group) => {
  group.each.timeout(600_000)

  /** Starts the node in a process of its own. */
  function start(scene: NodeScene, received: unknown[]): ChildProcess {
    const { hub, credentials, imagesPath, signingKey, folder } = scene.settings
    const options: NodeProgramOptions = {
      url: hub.url,
      clientId: credentials.id,
      signingKey,
      imagesPath: imagesPath!,
      folder,
    }
    const child = fork(PROGRAM, [JSON.stringify(options)], {
      execArgv: ['--import=@poppinss/ts-exec'],
    })
    child.on('message', (message) => received.push(message))
    return child
  }

  /** Ends it so that nothing of it is left. */
  async function end(child: ChildProcess): Promise<void> {
    if (child.connected) {
      child.disconnect()
      await once(child, 'exit')
    }
  }

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }

  test('loses no message, delivers none twice, and keeps their order', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const assignment = await scene.distribute()
    const received: unknown[] = []
    Object.assign(assignment.analysis, { distributionStatus: null })
    let next = 0
    for (const { matches, isDone } of MOMENTS) {
      const child = start(scene, received)
      cleanup(() => kill(child))
      // The node has read its empty mailbox, and listens.
      await eventually(() => scene.hub.isListenedTo, WITHIN_MS)
      const killed = Promise.withResolvers<void>()
      scene.hub.fault = async (call, response) => {
        if (!matches(call) || scene.hub.mailbox.length === 0) {
          return false
        }
        scene.hub.fault = () => false
        if (isDone) {
          scene.hub.answer(call, response)
        }
        await kill(child)
        killed.resolve()
        return true
      }
      for (let count = 0; count < PER_ROUND; count += 1) {
        scene.hub.mailbox.push(scene.message(assignment.analysisId, next++))
      }
      scene.hub.wake()
      await killed.promise
    }
    Object.assign(assignment.analysis, { distributionStatus: 'executed' })
    const child = start(scene, received)
    cleanup(() => end(child))

    await eventually(() => received.length === next && scene.hub.mailbox.length === 0, WITHIN_MS)
    assert.deepEqual(
      received,
      Array.from({ length: next }, (_, n) => n)
    )
  })

  test('the node reports the run as failed when it starts again, and nothing is left of it', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const assignment = await scene.distribute()
    const received: unknown[] = []
    const first = start(scene, received)
    cleanup(() => kill(first))
    scene.hub.post(scene.message(assignment.analysisId, 'to the first'))
    await eventually(() => received.length === 1, WITHIN_MS)
    await kill(first)
    const { folder } = scene.settings
    assert.isNotEmpty(await readdir(join(folder, 'transfers')))
    const sockets = await readlink(join(folder, 'sockets'))
    assert.isNotEmpty(await readdir(sockets))
    const second = start(scene, received)
    cleanup(() => end(second))

    await eventually(() => assignment.executionStatus === 'failed', WITHIN_MS)
    await eventually(async () => (await readdir(join(folder, 'incoming'))).length === 0, WITHIN_MS)
    assert.isEmpty(await readdir(join(folder, 'transfers')).catch(() => []))
    assert.isFalse(existsSync(sockets))
    assert.isTrue(scene.hub.logs.some(({ message }) => String(message).includes('interrupted')))
  })
})
