import { holding } from '#kernel/access'
import { column, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

/** A group of images. Groups come and go with the images, when those are synchronized with their repository. */
export const masterImageGroup = defineKind({
  name: 'masterImageGroup',
  collection: '/master-image-groups',
  table: 'master_image_groups',
  columns: {
    id: column.uuid(),
    name: column.text(),
    path: column.text(),
    virtualPath: column.text(),
    ...timestamps,
  },
  filters: ['id', 'name', 'path', 'virtualPath'],
  indexes: [['id'], ['name'], ['path'], ['virtualPath']],
  namesAllowedFields: false,
  access: { remove: holding('master_image_group_manage') },
})
