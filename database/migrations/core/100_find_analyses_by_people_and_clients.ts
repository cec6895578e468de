import { BaseSchema } from '@adonisjs/lucid/schema'

/** Finds the analyses that a user created, and the analysis or node of a client, for each request to storage. */
export default class FindAnalysesByPeopleAndClients extends BaseSchema {
  async up() {
    this.schema.raw('create index analyses_client_id on analyses (client_id)')
    this.schema.raw('create index analyses_user_id on analyses (user_id, created_at)')
  }

  async down() {
    this.schema.raw('drop index analyses_user_id')
    this.schema.raw('drop index analyses_client_id')
  }
}
