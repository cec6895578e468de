import { BaseSchema } from '@adonisjs/lucid/schema'

/** Names that the manual of PostgreSQL explains. Processes of earlier versions must have ended. */
export default class RenameToPlainWords extends BaseSchema {
  async up() {
    this.schema.raw('drop function refuse_room')
    this.schema.raw(`
      create function raise_limit_exceeded(of text, kind text, id uuid) returns boolean language plpgsql as $body$
      begin
        raise exception 'the limit is exceeded' using
          errcode = 'configuration_limit_exceeded', constraint = of, detail = kind || ' ' || id;
      end $body$`)
  }
}
