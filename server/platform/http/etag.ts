/** Whether the client already has this version: `If-None-Match` contains it, weak or strong, or is `*`. */
export const hasVersion = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((given) => {
    const tag = given.trim()
    return tag === '*' || strong(tag) === strong(etag)
  }) ?? false

const strong = (tag: string): string => (tag.startsWith('W/') ? tag.slice(2) : tag)
