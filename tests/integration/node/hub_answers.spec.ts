import { Readable } from 'node:stream'

import { test } from '@japa/runner'

import { HubAnalyses } from '#node/analyses/hub_analyses'
import { ReportQueue } from '#node/analyses/report_queue'
import { HubUnavailable } from '#node/errors'
import { Hub } from '#node/hub/hub'
import { StandInHub } from '#tests/helpers/node/stand_in_hub'

test.group('Answers of a hub that a node cannot use', () => {
  const hubOf = ({ url }: StandInHub) => new Hub({ url }, { id: 'client', secret: 'secret' })

  test('a truncated answer means that the hub is not available', async ({ assert, cleanup }) => {
    const standIn = await StandInHub.listen(cleanup)
    standIn.fault = ({ path }, response) =>
      path.includes('projects') &&
      response.writeHead(200, { 'content-length': 1_000 }).write('{"data"', () => {
        response.destroy()
      })
    await assert.rejects(() => hubOf(standIn).json('core', '/projects/1'), HubUnavailable)
  })

  test('a node says with each request what no limit covers, and another client says nothing', async ({
    assert,
    cleanup,
  }) => {
    const standIn = await StandInHub.listen(cleanup)
    const credentials = { id: 'client', secret: 'secret' }
    standIn.fault = ({ path }, response) =>
      path.includes('projects') && response.writeHead(200).end('{}')
    for (const unbounded of [['sharedMemory'], [], undefined]) {
      await new Hub(standIn, credentials, unbounded).json('core', '/projects/1')
    }
    const requests = standIn.calls.filter(({ path }) => path.includes('projects'))
    const reported = requests.map(({ unbounded }) => unbounded)
    assert.deepEqual(reported, ['sharedMemory', 'none', undefined])
  })

  test('an answer that is not JSON means that the hub is not available', async ({
    assert,
    cleanup,
  }) => {
    const standIn = await StandInHub.listen(cleanup)
    standIn.fault = ({ path }, response) =>
      path.includes('projects') && response.writeHead(200).end('<html>')
    await assert.rejects(() => hubOf(standIn).json('core', '/projects/1'), HubUnavailable)
  })

  test('an answer without an end is abandoned', async ({ assert, cleanup }) => {
    const standIn = await StandInHub.listen(cleanup)
    const closed = Promise.withResolvers<void>()
    standIn.fault = ({ path }, response) => {
      if (!path.includes('projects')) {
        return undefined
      }
      Readable.from(repeat(Buffer.alloc(2 ** 20, ' '))).pipe(response)
      return response.on('close', () => closed.resolve())
    }
    await assert.rejects(
      () => hubOf(standIn).json('core', '/projects/1'),
      /more than the 67108864 bytes/
    )
    await closed.promise
  })

  test('a login that is not JSON means that the hub is not available', async ({
    assert,
    cleanup,
  }) => {
    const standIn = await StandInHub.listen(cleanup)
    standIn.fault = ({ path }, response) =>
      path.includes('token') && response.writeHead(200).end('<html>')
    await assert.rejects(() => hubOf(standIn).json('core', '/projects/1'), HubUnavailable)
  })

  test('a report whose answer breaks off is sent again, and those after it follow', async ({
    assert,
    cleanup,
  }) => {
    const standIn = await StandInHub.listen(cleanup)
    const [assignment] = standIn.assign([
      { id: 'node', name: 'node', type: 'default', clientId: null, publicKey: null, realmId: '' },
    ])
    let broken = 0
    standIn.fault = ({ path }, response) => {
      if (!path.includes('logs') || broken === 2) {
        return undefined
      }
      broken += 1
      return response.writeHead(201, { 'content-length': 1_000 }).write('{', () => {
        response.destroy()
      })
    }
    const { id: assignmentId, analysisId } = assignment!
    const target = { assignmentId, analysisId, nodeId: 'node' }
    const reports = new ReportQueue(new HubAnalyses(hubOf(standIn)), target)
    reports.log('info', 'first')
    reports.log('info', 'second')
    reports.report({ executionStatus: 'executed' })
    assert.isTrue(await reports.flushed())

    assert.equal(broken, 2)
    assert.deepEqual(
      standIn.logs.map(({ message }) => message),
      ['first', 'second']
    )
    assert.equal(standIn.assignments[0]!.executionStatus, 'executed')
  })
})

function* repeat(chunk: Buffer) {
  for (;;) {
    yield chunk
  }
}
