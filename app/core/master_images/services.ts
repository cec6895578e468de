import { masterImage } from '#core/master_images/master_image'
import { MasterImageService } from '#core/master_images/master_image_service'
import { lazyService } from '#records/services'

export const masterImages = lazyService('core', masterImage, MasterImageService)
