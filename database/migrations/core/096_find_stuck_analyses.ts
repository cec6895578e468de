import { BaseSchema } from '@adonisjs/lucid/schema'

const UNSETTLED = `'failed', 'starting', 'started', 'stopping', 'executing'`

/** Finds analyses with a failed or running build or distribution without reading all others. */
export default class FindStuckAnalyses extends BaseSchema {
  async up() {
    this.schema.raw(`
      create index analyses_unsettled on analyses (id)
      where build_status in (${UNSETTLED}) or distribution_status in (${UNSETTLED})`)
  }

  async down() {
    this.schema.raw('drop index analyses_unsettled')
  }
}
