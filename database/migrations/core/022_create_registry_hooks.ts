import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Each registry gets its own webhook secret. Registries that used the client of the identity provider are relinked, and the
 * secret of that client is rotated, since their operators know it.
 */
export default class CreateRegistryHooks extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table registry_hooks (
        registry_id uuid primary key references registries on delete cascade,
        secret text not null,
        created_at timestamptz(3) not null default now()
      )`)
    this.schema.raw(`
      create table registry_client_renewals (
        id boolean primary key default true check (id),
        asked_at timestamptz(3) not null default now()
      )`)
    this.schema.raw(`
      insert into registry_client_renewals (id)
      select true where exists (select 1 from registry_links where settled_at is not null)
        or exists (select 1 from registry_projects where webhook_exists)`)
    this.schema.raw(`
      update registry_links set due_at = now(), attempts = 0, revision = revision + 1
      where not is_parted`)
    this.schema.raw('update registry_states set rests_until = null')
  }

  async down() {
    this.schema.dropTable('registry_client_renewals')
    this.schema.dropTable('registry_hooks')
  }
}
