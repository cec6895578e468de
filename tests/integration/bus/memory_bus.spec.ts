import { MemoryBus } from '#bus/memory/memory_bus'
import { MemoryDeadLetters } from '#bus/memory/memory_dead_letters'
import { batchSuite } from '#tests/helpers/bus/batch_suite'
import { busDatabase } from '#tests/helpers/bus/bus_database'
import { busSuite } from '#tests/helpers/bus/bus_suite'

const open = async () => {
  const { pool, stop } = await busDatabase()
  const bus = new MemoryBus()
  const deadLetters = new MemoryDeadLetters({
    databaseOf: () => pool,
    async publish(_transaction, message) {
      void bus.publish(message)
    },
  })
  return {
    bus,
    pool,
    deadLetters,
    async stop() {
      await bus.close()
      await stop()
    },
  }
}

busSuite('memory', open)
batchSuite('memory', open)
