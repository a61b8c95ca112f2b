// What visitors may send; the server decides, and has the same rules.

export const fileMaxBytes = 10 * 1024 * 1024
export const filesMax = 5
export const fileEndings = [
  ...[
    'avif',
    'csv',
    'docx',
    'gif',
    'heic',
    'jpeg',
    'jpg',
    'm4a',
    'mov',
    'mp3',
    'mp4',
    'odt',
    'ods',
    'ogg',
    'pdf',
  ],
  ...['png', 'pptx', 'txt', 'wav', 'webm', 'webp', 'xlsx'],
]

export const isAllowedName = (name: string): boolean => {
  const ending = /\.([A-Za-z0-9]{1,5})$/.exec(name.trim())?.[1]?.toLowerCase()
  return ending !== undefined && fileEndings.includes(ending)
}
