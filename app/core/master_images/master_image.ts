import { holding } from '#kernel/access'
import { column, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

/** An image that analyses are built on. Images come from a repository; nobody writes them here. */
export const masterImage = defineKind({
  name: 'masterImage',
  collection: '/master-images',
  table: 'master_images',
  columns: {
    id: column.uuid(),
    name: column.text(),
    path: column.text({ nullable: true }),
    virtualPath: column.text(),
    groupVirtualPath: column.text(),
    command: column.text({ nullable: true }),
    commandArguments: column.jsonText(),
    buildStatus: column.text({ nullable: true }),
    buildProgress: column.integer({ nullable: true }),
    buildHash: column.text({ nullable: true }),
    buildSize: column.bigint({ nullable: true }),
    ...timestamps,
  },
  filters: ['id', 'name', 'path', 'virtualPath', 'groupVirtualPath'],
  defaultSort: { path: 'ASC' },
  indexes: [['id'], ['name'], ['path'], ['virtualPath'], ['groupVirtualPath']],
  namesAllowedFields: false,
  access: { remove: holding('master_image_manage') },
})
