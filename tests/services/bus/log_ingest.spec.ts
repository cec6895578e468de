import { test } from '@japa/runner'
import { connect } from 'amqplib'

import { AmqpBus } from '#bus/amqp/amqp_bus'
import { newMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import type { RunningJob } from '#jobs/running_job'
import { BUS } from '#telemetry/events/reporter'
import { consumeLogLines } from '#telemetry/logs/log_ingest'
import { VictoriaLogsStore } from '#telemetry/logs/victorialogs/victorialogs_store'
import { eventually } from '#tests/helpers/eventually'
import { VictoriaLogsStandIn } from '#tests/helpers/telemetry/victorialogs/stand_in'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import type { RealServer } from '#tests/services/servers/real_server'

const silent = { info() {}, warn() {}, error() {} }
const QUEUE = COMMAND_QUEUES.telemetryLog
const LINES = 3_000

/** As a program elsewhere puts them there. */
async function publishLines({ url }: RealServer): Promise<void> {
  const connection = await connect(url)
  const channel = await connection.createConfirmChannel()
  await channel.assertQueue(QUEUE, { durable: true })
  // The broker has written a queue to its disk when it confirms the next one.
  await channel.assertQueue('another', { durable: true })
  for (let number = 0; number < LINES; number++) {
    const data = {
      message: `line ${number}`,
      service: 'hub-server-worker',
      level: 'info',
      channel: 'system',
      labels: { refType: 'analysis' },
    }
    const message = newMessage(commandRouting(QUEUE), 'write', data)
    channel.sendToQueue(QUEUE, Buffer.from(JSON.stringify(message)), {
      persistent: true,
      messageId: message.id,
    })
  }
  await channel.waitForConfirms()
  await connection.close()
}

/** The lines are about no record. */
const owners = { ofPlatform: async () => ({ reportedBy: BUS, realms: [] }) }

test.group('Log lines from RabbitMQ', (group) => {
  let broker: RealServer
  let standIn: VictoriaLogsStandIn
  let store: VictoriaLogsStore
  let bus: AmqpBus
  let ingest: RunningJob

  group.setup(async () => {
    broker = await startRabbitmq()
    standIn = await VictoriaLogsStandIn.start()
    store = new VictoriaLogsStore({
      ingestor: standIn.url,
      querier: standIn.url,
      retentionDays: 7,
      timing: { gatherMs: 5, visibleMs: 500, durableMs: 2_000, pollMs: 100 },
      report: () => {},
    })
    bus = await AmqpBus.open(broker.url, silent)
    return async () => {
      await ingest.stop()
      await bus.close()
      await store.close()
      await standIn.stop()
      await broker.stop()
    }
  })

  test('lines are each stored once, though broker and log store end while they come', async ({
    assert,
  }) => {
    await publishLines(broker)
    ingest = await consumeLogLines({ bus, store, owners, logger: silent })
    await eventually(() => standIn.lines.length > 300)
    const moment = performance.now()
    await broker.kill()
    await broker.restart()
    await eventually(() => standIn.lines.length > 2_000, 60_000)
    standIn.loseSince(Math.max(moment, performance.now() - 1_000))
    const messages = () => standIn.lines.map(({ fields }) => fields.get('_msg'))
    await eventually(() => new Set(messages()).size === LINES, 60_000)
    assert.lengthOf(messages(), LINES)
    assert.isEmpty(standIn.strange)
  }).timeout(600_000)
})
