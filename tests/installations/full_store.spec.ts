import { test } from '@japa/runner'

import { FsObjectStore } from '#storage/objects/fs/fs_object_store'
import { fullStoreSuite, ROOM_BYTES } from '#tests/helpers/storage/full_store_suite'
import { canMount, CANNOT_MOUNT, SmallDisk } from '#tests/helpers/doctor/small_disk'

if (canMount()) {
  fullStoreSuite('a folder on a full disk', async () => {
    const disk = await SmallDisk.mount(ROOM_BYTES)
    return {
      variables: { STORAGE_PATH: disk.path },
      store: new FsObjectStore(disk.path),
      counted: async () => {},
      stop: () => disk.remove(),
    }
  })
} else {
  test('Uploads to a store without room', () => {}).skip(true, CANNOT_MOUNT)
}
