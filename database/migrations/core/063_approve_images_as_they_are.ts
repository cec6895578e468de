import { BaseSchema } from '@adonisjs/lucid/schema'

const FILES = `(
    select json_agg(json_build_array(f.bucket_id, f.bucket_file_id, f.path, f.root)
      order by f.bucket_file_id, f.path collate "C")
    from analysis_bucket_files f join analysis_buckets b on b.id = f.analysis_bucket_id
    where f.analysis_id = a.id and b.type = 'CODE')`

const IMAGE = `(
    select json_build_array(m.virtual_path, m.command, m.command_arguments)
    from master_images m where m.id = a.master_image_id)`

const digestOf = (...parts: string[]) =>
  `encode(sha256(convert_to(json_build_array(${parts.join()})::text, 'UTF8')), 'hex')`

const BEFORE = digestOf('a.master_image_id', 'a.image_command_arguments', FILES)
const AFTER = digestOf('a.master_image_id', 'a.image_command_arguments', IMAGE, FILES)

/** Approvals include the command of the image. Valid approvals stay valid. */
export default class ApproveImagesAsTheyAre extends BaseSchema {
  async up() {
    this.#replace(BEFORE, AFTER)
  }

  async down() {
    this.#replace(AFTER, BEFORE)
  }

  #replace(known: string, next: string): void {
    this.schema.raw(`update analysis_nodes n set approved_digest = ${next}
      from analyses a where a.id = n.analysis_id and n.approved_digest = ${known}`)
  }
}
