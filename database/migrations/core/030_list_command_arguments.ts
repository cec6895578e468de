import { BaseSchema } from '@adonisjs/lucid/schema'

/** An image without arguments has an empty list of them. */
export default class ListCommandArguments extends BaseSchema {
  async up() {
    this.schema.raw(`update master_images set command_arguments = '[]'
      where command_arguments is null or trim(command_arguments) in ('', 'null')`)
    this.schema.raw(`alter table master_images
      alter column command_arguments set default '[]', alter column command_arguments set not null`)
  }

  async down() {
    this.schema.raw(`alter table master_images
      alter column command_arguments drop not null, alter column command_arguments drop default`)
  }
}
