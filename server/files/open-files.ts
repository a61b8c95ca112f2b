import { join } from 'node:path'
import type { Config } from '../config.ts'
import { makeFolderStore } from './folder-store.ts'
import { makeS3Store } from './s3-store.ts'
import type { FileStore } from './store.ts'

const FOLDER = 'files'

/** Where files are kept: in the storage that is set, else in a folder of the data directory. */
export const openFiles = ({ dataDir, filesStorage }: Pick<Config, 'dataDir' | 'filesStorage'>): FileStore =>
  filesStorage ? makeS3Store(filesStorage) : makeFolderStore(join(dataDir, FOLDER))
