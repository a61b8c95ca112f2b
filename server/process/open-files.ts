import { join } from 'node:path'
import { makeFolderStore } from '../platform/files/folder-store.ts'
import { makeS3Store } from '../platform/files/s3-store.ts'
import type { FileStore } from '../platform/files/store.ts'
import type { Config } from './config.ts'

const FOLDER = 'files'

/** Where files are stored: in the configured storage, otherwise in a folder of the data directory. */
export const openFiles = ({ dataDir, filesStorage }: Pick<Config, 'dataDir' | 'filesStorage'>): FileStore =>
  filesStorage ? makeS3Store(filesStorage) : makeFolderStore(join(dataDir, FOLDER))
