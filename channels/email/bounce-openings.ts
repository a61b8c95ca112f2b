// Phrases with which mail servers start a report, by language; see bounce-words.ts for how they are matched.

/** The first words of a report, in wording that only a server uses. */
export const OPENING: Record<string, readonly string[]> = {
  english: [
    ...['your mail cannot be delivered', 'your mail could not be delivered', 'your email could not be'],
    ...['your message could not be delivered to', 'your message cannot be delivered to'],
    ...['your message was not delivered to', 'your message with subject', 'the following mail could not be'],
    ...['the following message could not be delivered', 'the email below could not be delivered'],
    ...['delivery to the following recipient', 'this is an automatically generated delivery'],
    ...[
      'failed recipients',
      'non-delivery report',
      'message from interscan',
      'invalid final delivery userid',
    ],
    ...['this is the mail system at host', 'this is the mail delivery agent', 'this is an advisory-only'],
    ...['this message was created automatically by mail delivery', 'the original message was received at'],
    ...[
      'delivery has failed to these recipients',
      'could not deliver message to',
      'unable to deliver message',
    ],
  ],
  german: [
    ...['ihre nachricht konnte nicht zugestellt', 'ihre e-mail konnte nicht zugestellt'],
    ...[
      'fehler bei der nachrichtenzustellung an',
      'die zustellung an folgende',
      'ihre nachricht an folgende',
    ],
  ],
  french: [
    ...["votre message n'a pas pu être", 'votre message n’a pas pu être', 'échec de la remise à ces'],
    ...['échec de remise pour ces', 'la remise à ces destinataires', 'la remise aux destinataires suivants'],
  ],
  spanish: [
    ...['su mensaje no se ha podido entregar', 'su mensaje no pudo ser entregado'],
    ...['no se pudo entregar el mensaje a', 'no se puede entregar el mensaje a', 'error de entrega a estos'],
  ],
  portuguese: [
    ...['sua mensagem não pôde ser entregue', 'sua mensagem não foi entregue', 'falha na entrega a estes'],
    ...['falha na entrega para estes', 'a entrega para os seguintes', 'a entrega aos seguintes'],
  ],
  italian: [
    ...['il tuo messaggio non è stato recapitato', 'il messaggio non è stato recapitato'],
    ...['recapito non riuscito ai seguenti', 'impossibile recapitare il messaggio a'],
  ],
  dutch: [
    ...[
      'uw bericht kon niet worden bezorgd',
      'uw bericht kan niet worden bezorgd',
      'uw bericht is niet bezorgd',
    ],
    ...['de bezorging aan de volgende', 'aflevering aan de volgende', 'bezorging aan de volgende'],
  ],
  polish: ['nie można dostarczyć wiadomości do', 'twoja wiadomość nie została dostarczona do'],
  swedish: ['det gick inte att leverera meddelandet till', 'ditt meddelande kunde inte levereras till'],
  turkish: ['iletiniz şu alıcılara teslim edilemedi', 'mesajınız aşağıdaki alıcılara'],
  russian: [
    'ваше сообщение не доставлено',
    'не удалось доставить сообщение следующим',
    'сбой доставки следующим',
  ],
  japanese: ['次の受信者へのメッセージ', '以下の宛先へのメールは', 'あなたのメッセージは次の'],
  chinese: ['您的邮件无法', '您發送的郵件無法', '您发送的邮件无法', '很抱歉,您的邮件', '很抱歉，您的邮件'],
  korean: ['다음 수신자에게 메시지를 배달하지', '다음 수신자에게 메일을'],
}
