// What is left to do after adding a channel: enter the webhook URL at the provider, or put the tag on the site.
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ChannelSetup as Setup } from '../../../channels/definition.ts'
import { DEFINITIONS } from '../../../channels/definitions.ts'
import type { Channel, ShownChannel } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { Steps } from '../../ui/steps.tsx'
import { t } from '../../words/t.ts'
import { RegisterWebhook } from './register-webhook.tsx'

const publicUrlOf = ({ webhookUrl }: ShownChannel): string =>
  webhookUrl.slice(0, webhookUrl.indexOf('/widget/'))

const TITLES: Record<Setup['how'], string> = {
  webhook: t`Set up the webhook`,
  registered: t`Set up the webhook`,
  script: t`Add it to your site`,
  mailbox: t`Incoming mail`,
}

export const setupTitle = (channel: Channel): string => TITLES[DEFINITIONS[channel].setup.how]

/** Text between backticks is shown as code. */
const stepOf = (text: string): ReactNode =>
  text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      <code key={part} className="text-mono">
        {part}
      </code>
    ) : (
      part
    ),
  )

/** `chosen` holds the values just entered; they can't be shown later. */
export const ChannelSetup = ({
  channel,
  chosen = {},
  isNew = false,
}: {
  channel: ShownChannel
  chosen?: Record<string, string>
  isNew?: boolean
}) => {
  const webhook = (hint?: ReactNode) => (
    <CopyField label={t`Webhook address`} value={channel.webhookUrl} hint={hint} isFocused={isNew} />
  )
  const verifyToken = chosen.verifyToken && <CopyField label={t`Verify token`} value={chosen.verifyToken} />
  const warning = channel.webhookWarning && (
    <Banner tone="warn" icon={TriangleAlert}>
      {channel.webhookWarning}
    </Banner>
  )
  const { setup } = DEFINITIONS[channel.channel]
  switch (setup.how) {
    case 'script':
      return (
        <>
          {warning}
          <p>{t`Add this line to every page that should show the chat, just before the closing body tag.`}</p>
          <CopyField
            label={t`Script tag`}
            value={`<script async src="${publicUrlOf(channel)}/widget.js" data-channel="${channel.id}"></script>`}
            isFocused={isNew}
            hint={t`Attributes override the settings below, e.g. data-language or data-color. See the guide to the chat box in the documentation.`}
          />
        </>
      )
    case 'webhook':
      return (
        <>
          {warning}
          {webhook()}
          {verifyToken}
          <Steps>
            {setup.steps.map((step) => (
              <li key={step}>{stepOf(step)}</li>
            ))}
          </Steps>
        </>
      )
    case 'registered':
      return (
        <>
          {warning}
          <RegisterWebhook channel={channel} isNew={isNew} />
        </>
      )
    case 'mailbox':
      if (channel.secretsSet.includes('inboundSecret'))
        return (
          <>
            {webhook()}
            <p>
              {t`Configure your mail server to POST each raw email to this address with the inbound secret. To try it with a file:`}
            </p>
            <CopyField
              label={t`Try it`}
              value={`curl --data-binary @mail.eml -H 'Authorization: Bearer ${chosen.inboundSecret ?? 'INBOUND_SECRET'}' '${channel.webhookUrl}'`}
            />
          </>
        )
      return channel.secretsSet.includes('imapUrl') ? (
        <p>{t`New mail is fetched from the mailbox automatically.`}</p>
      ) : (
        <p>{t`Not receiving mail yet. Enter an IMAP address or an inbound secret below.`}</p>
      )
  }
}
