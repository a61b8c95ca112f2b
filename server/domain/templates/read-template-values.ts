import type { HeaderValues, TemplateValues } from '../../../channels/channel.ts'

type Given = HeaderValues & { parameters?: readonly string[] | undefined }

/** Picks a request's values for the template's placeholders. */
export const valuesOf = ({
  parameters = [],
  headerImageUrl,
  headerMediaUrl,
  headerFileName,
  headerLocation,
  headerAttachmentId,
}: Given): TemplateValues => ({
  parameters,
  ...(headerImageUrl && { headerImageUrl }),
  ...(headerMediaUrl && { headerMediaUrl }),
  ...(headerFileName && { headerFileName }),
  ...(headerLocation && { headerLocation }),
  ...(headerAttachmentId && { headerAttachmentId }),
})
