import { test } from '@japa/runner'
import fc from 'fast-check'

import { boot } from '#tests/helpers/application'
import { emptyOutbox } from '#tests/helpers/outbox/empty_outbox'
import { rounds } from '#tests/helpers/rounds'

import { Model } from '#tests/integration/core/analysis_model/model'
import { CODES } from '#tests/integration/core/analysis_model/rules'
import { steps, type Coverage } from '#tests/integration/core/analysis_model/steps'
import { services, type Services } from '#tests/integration/core/analysis_model/services'
import { World } from '#tests/integration/core/analysis_model/world'

/** Set it to the seed of a failed run to see that run again. */
const SEED = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31))
const ALL_STEPS = 10_000
const STEPS = rounds(ALL_STEPS, 20)
const MAX_STEPS = 120
/** Limits the time to shrink a failing run. */
const SETTINGS = { numRuns: 5, interruptAfterTimeLimit: 120_000 }

const LEFTOVERS = `
  delete from analyses;
  delete from projects;
  delete from nodes;
  delete from master_images;
  delete from tasks`

/** A project with some nodes and images, on both sides. */
async function setUp(platform: Services) {
  await emptyOutbox()
  const model = new Model()
  const real = await World.set(platform)
  for (const type of ['default', 'default', 'aggregator', 'aggregator'] as const) {
    const node = { key: model.nextNumber(), type, projectDecision: 'approved', hasRegistry: true }
    const projectDecision = model.nodes.size < 3 ? ('approved' as const) : null
    model.nodes.set(node.key, { ...node, projectDecision })
    await real.addNode({ ...node, projectDecision })
  }
  model.images = [1, 2].map(() => ({ key: model.nextNumber(), version: 0 }))
  for (const { key } of model.images) {
    await real.addImage(key)
  }
  return { model, real }
}

test.group('The life of an analysis', (group) => {
  let found: Services

  group.setup(async () => {
    await boot()
    found = await services()
    return async () => {
      await found.pool.query(LEFTOVERS)
      await emptyOutbox()
    }
  })

  test('matches the reference model after every step', async ({ assert }) => {
    const seen: Coverage = { steps: 0, deaths: 0, outcomes: new Set(), statuses: new Set() }
    const property = fc.asyncProperty(
      fc.commands([steps(seen)], { maxCommands: MAX_STEPS, size: 'max' }),
      async (happening) => {
        const set = await setUp(found)
        try {
          await fc.asyncModelRun(() => set, happening)
        } finally {
          await set.real.end()
        }
      }
    )
    for (let seed = SEED; seen.steps < STEPS; seed++) {
      await fc.assert(property, { ...SETTINGS, seed })
    }
    if (STEPS === ALL_STEPS) {
      const refused = [...seen.outcomes].flatMap((outcome) => outcome.split(' ').slice(1))
      assert.includeMembers(refused, [...CODES])
      assert.includeMembers([...seen.statuses], ['build executed', 'distribution executed'])
      assert.isAbove(seen.deaths, 0)
    }
  }).timeout(1_800_000)
})
