import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * The owner of a name in a registry, and the owner for which an administrator adopts it. Existing links stay with their
 * records, even if the project existed before.
 */
export default class NoteOwnersOfRegistryNames extends BaseSchema {
  async up() {
    this.schema.raw(`
      alter table registry_links add column project_id uuid, add column adopted_for uuid`)
    this.schema.raw(`
      update registry_links l set project_id = p.id,
        adopted_for = case when l.is_adopted then p.id end,
        account_id = coalesce(l.account_id, case when l.settled_at is null then p.account_id end)
      from registry_projects p
      where p.registry_id = l.registry_id and p.external_name = l.external_name`)
  }

  async down() {
    this.schema.raw('alter table registry_links drop column project_id, drop column adopted_for')
  }
}
