import { BaseSchema } from '@adonisjs/lucid/schema'

import { dropTotals, maintainTotals } from '#database/maintained_totals'

/** The tables with maintained totals, each with its realm column. */
const LISTS = [
  ['analyses', 'realm_id'],
  ['analysis_bucket_files', 'realm_id'],
  ['analysis_buckets', 'realm_id'],
  ['analysis_node_events', undefined],
  ['analysis_nodes', undefined],
  ['master_image_groups', undefined],
  ['master_images', undefined],
  ['nodes', 'realm_id'],
  ['project_nodes', undefined],
  ['projects', 'realm_id'],
  ['registries', undefined],
  ['registry_projects', 'realm_id'],
] as const

export default class KeepTotals extends BaseSchema {
  async up() {
    for (const [table, realm] of LISTS) {
      maintainTotals(table, realm).forEach((statement) => this.schema.raw(statement))
    }
  }

  async down() {
    for (const [table, realm] of LISTS) {
      dropTotals(table, realm).forEach((statement) => this.schema.raw(statement))
    }
  }
}
