import { BaseSchema } from '@adonisjs/lucid/schema'

/** Existing approvals apply to the current content. */
export default class KeepWhatWasApproved extends BaseSchema {
  async up() {
    this.schema.raw('alter table analysis_nodes add column if not exists approved_digest text')
    this.schema.raw(`update analysis_nodes n set approved_digest = encode(sha256(convert_to(
        json_build_array(a.master_image_id, a.image_command_arguments, (
          select json_agg(json_build_array(f.bucket_id, f.bucket_file_id, f.path, f.root)
            order by f.bucket_file_id, f.path collate "C")
          from analysis_bucket_files f join analysis_buckets b on b.id = f.analysis_bucket_id
          where f.analysis_id = a.id and b.type = 'CODE'))::text, 'UTF8')), 'hex')
      from analyses a where a.id = n.analysis_id and n.approval_status = 'approved'`)
  }

  async down() {
    this.schema.raw('alter table analysis_nodes drop column approved_digest')
  }
}
