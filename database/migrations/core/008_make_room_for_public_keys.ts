import { BaseSchema } from '@adonisjs/lucid/schema'

export default class MakeRoomForPublicKeys extends BaseSchema {
  /** 4096 characters of up to three bytes, two hexadecimal digits per byte. */
  async up() {
    this.schema.raw('alter table nodes alter column public_key type varchar(24576)')
  }

  async down() {
    this.schema.raw('alter table nodes alter column public_key type varchar(4096)')
  }
}
