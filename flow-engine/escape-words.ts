// How customers ask for a person, in 20 languages. Written as they are typed; wants-person.ts folds them.

export type EscapeWords = {
  /** Alone, or with nothing but `around` beside it, it is a wish for a person. */
  people: string
  around: string
  /** A wish wherever they stand in a message, separated by |. */
  phrases: string
}

export const ESCAPE_WORDS: Record<string, EscapeWords> = {
  en: {
    people:
      'human humans person people agent agents operator representative rep somebody someone advisor adviser staff employee',
    around:
      'a an the real live actual please pls plz i id im want wanna need would like to talk speak chat with connect transfer get me give can could you let us your some any service customer support now just another from team hi hello hey right is there be put through',
    phrases:
      'talk to a human|talk to a person|talk to a real|talk to an agent|talk to someone|talk to somebody|speak to a human|speak to a person|speak to a real|speak to an agent|speak to someone|speak to somebody|speak with a human|speak with a person|speak with an agent|speak with someone|chat with a human|chat with an agent|real human|real person|live agent|human agent|human being please|customer service representative|transfer me to|connect me to an agent|connect me with',
  },
  de: {
    people:
      'mensch menschen person mitarbeiter mitarbeiterin mitarbeitern berater beraterin kundenberater ansprechpartner kundenservice kundendienst jemand jemanden jemandem agent',
    around:
      'ein eine einen einem einer der die den dem echt echte echten echter echtem richtige richtigen richtigem bitte ich möchte will würde gern gerne mit sprechen reden chatten schreiben verbinden sie mich zu zum vom an kann können brauche benötige jetzt mal lieber hallo vom',
    phrases:
      'mit einem menschen|mit einer person sprechen|mit einem mitarbeiter|mit einer mitarbeiterin|mit jemandem sprechen|mit jemandem reden|mit wem sprechen|echten menschen|echter mensch|echte person|richtigen menschen|an einen mitarbeiter|menschlichen mitarbeiter|persönlich sprechen',
  },
  es: {
    people:
      'humano humana persona agente operador operadora asesor asesora representante ejecutivo ejecutiva alguien',
    around:
      'un una el la con real de verdad por favor quiero quisiera necesito me gustaría puedo hablar chatear comunicarme comunícame pásame pasame a al contactar ahora hola atención cliente',
    phrases:
      'hablar con una persona|hablar con un humano|hablar con un agente|hablar con un asesor|hablar con alguien|hablar con un representante|hablar con un operador|persona real|agente humano|atención humana|pásame con|comunícame con',
  },
  fr: {
    people: 'humain humaine personne conseiller conseillère agent opérateur opératrice quelquun représentant',
    around:
      'un une le la à avec vrai vraie réel réelle svp sil vous plaît plait je veux voudrais souhaite besoin de dun dune parler discuter moi me passer mettre en relation maintenant bonjour client service peux puis',
    phrases:
      'parler à un humain|parler à une personne|parler à un conseiller|parler à un agent|parler à quelquun|parler avec un humain|parler avec un conseiller|parler avec quelquun|un vrai humain|une vraie personne|vrai conseiller|en relation avec un conseiller',
  },
  it: {
    people: 'umano umana persona operatore operatrice agente qualcuno consulente addetto',
    around:
      'un una uno il la con vero vera reale per favore voglio vorrei posso ho bisogno di parlare chattare passami mi passi a al adesso ora ciao servizio clienti',
    phrases:
      'parlare con un operatore|parlare con una persona|parlare con un umano|parlare con qualcuno|parlare con un agente|operatore umano|persona reale|persona vera',
  },
  pt: {
    people: 'humano humana pessoa atendente operador operadora agente alguém alguem representante assistente',
    around:
      'um uma o a com real de verdade por favor quero queria gostaria preciso posso falar conversar me passa passe transferir para agora oi olá ola do da',
    phrases:
      'falar com um atendente|falar com uma pessoa|falar com um humano|falar com alguém|falar com um agente|falar com atendente|pessoa real|atendimento humano|atendente humano',
  },
  nl: {
    people: 'mens mensen persoon medewerker medewerkster iemand agent klantenservice',
    around:
      'een de het echte echt met aub alsjeblieft alstublieft graag ik wil zou willen kan mag spreken praten chatten doorverbinden naar van nu hallo',
    phrases:
      'met een mens|met een medewerker|met een persoon|met iemand spreken|met iemand praten|echt persoon|echte persoon|echt mens|echte medewerker',
  },
  pl: {
    people:
      'człowiek człowiekiem człowieka konsultant konsultantem konsultanta osoba osobą osobę pracownik pracownikiem doradca doradcą agent agentem ktoś kimś',
    around:
      'z ze do proszę prosze chcę chce chciałbym chciałabym mogę rozmawiać porozmawiać połącz połączyć mnie żywym żywą prawdziwym prawdziwą teraz dzień dobry',
    phrases:
      'rozmawiać z człowiekiem|porozmawiać z człowiekiem|rozmawiać z konsultantem|porozmawiać z konsultantem|rozmowa z konsultantem|z żywym człowiekiem|połącz z konsultantem|rozmawiać z kimś|porozmawiać z kimś',
  },
  tr: {
    people:
      'insan insanla temsilci temsilciye temsilciyle temsilcisi temsilcisine temsilcisiyle yetkili yetkiliyle yetkiliye kişi kişiyle operatör operatöre operatörle',
    around:
      'bir gerçek canlı müşteri ile lütfen istiyorum konuşmak görüşmek bağla bağlan bağlanmak beni bana merhaba hizmetleri destek şimdi',
    phrases:
      'bir insanla|gerçek bir insan|gerçek bir kişi|müşteri temsilcisi|temsilciye bağla|yetkiliyle görüşmek|canlı destek',
  },
  ru: {
    people:
      'человек человека человеком оператор оператора оператору оператором менеджер менеджера менеджером сотрудник сотрудника сотрудником специалист специалистом живой',
    around:
      'с со к на живым живого настоящим реальным пожалуйста я хочу хотел хотела бы можно нужен нужна нужно поговорить говорить пообщаться связаться соедините соедини меня позовите позови переключите переключи сейчас здравствуйте привет мне',
    phrases:
      'поговорить с человеком|поговорить с оператором|с живым человеком|соедините с оператором|соедините меня с|позовите оператора|переключите на оператора|переведите на оператора|живой человек|связаться с оператором',
  },
  uk: {
    people:
      'людина людину людиною оператор оператора оператору оператором менеджер менеджера менеджером працівник працівником спеціаліст спеціалістом',
    around:
      'з із зі до на живою живу жива справжньою будь ласка я хочу хотів хотіла би можна потрібен потрібна потрібно поговорити говорити звязатися зєднайте мене покличте зараз вітаю привіт мені',
    phrases:
      'поговорити з людиною|поговорити з оператором|з живою людиною|зєднайте з оператором|зєднайте мене з|покличте оператора|переключіть на оператора|жива людина',
  },
  ar: {
    people: 'إنسان انسان شخص موظف موظفة وكيل ممثل بشري مندوب',
    around:
      'مع إلى الى من أريد اريد ابغى أبغى عايز بدي أتحدث اتحدث التحدث أتكلم اتكلم التكلم التواصل تواصل حقيقي خدمة العملاء فضلك لو سمحت الآن الان مرحبا أن ان بشري',
    phrases:
      'التحدث مع شخص|التحدث إلى شخص|التحدث مع موظف|التحدث إلى موظف|أتحدث مع شخص|أتكلم مع شخص|اتكلم مع موظف|شخص حقيقي|موظف خدمة العملاء|ممثل خدمة العملاء',
  },
  he: {
    people: 'אדם נציג נציגה נציגת אנושי אנושית מישהו מישהי בנאדם',
    around: 'עם אל אני רוצה לדבר בבקשה אפשר צריך צריכה שירות אמיתי אמיתית חי עכשיו שלום תעביר אותי לקוחות',
    phrases: 'לדבר עם נציג|לדבר עם אדם|לדבר עם מישהו|נציג אנושי|נציג שירות|מענה אנושי|בן אדם',
  },
  hi: {
    people: 'इंसान व्यक्ति एजेंट प्रतिनिधि आदमी insaan agent executive',
    around:
      'से किसी एक असली मुझे बात करनी करना है चाहता चाहती हूँ हूं कृपया कराओ कराइए करवाओ ग्राहक सेवा mujhe se baat karni karna hai kisi real asli please chahiye',
    phrases:
      'इंसान से बात|व्यक्ति से बात|एजेंट से बात|किसी से बात|प्रतिनिधि से बात|agent se baat|insaan se baat|kisi se baat karni|customer care se baat',
  },
  id: {
    people: 'manusia orang agen petugas operator admin cs staf',
    around:
      'saya mau ingin bisa tolong mohon dengan ke sama bicara berbicara ngobrol chat hubungi hubungkan sambungkan asli nyata langsung sekarang halo kak customer service',
    phrases:
      'bicara dengan manusia|bicara dengan orang|berbicara dengan manusia|berbicara dengan orang|bicara dengan petugas|bicara dengan agen|bicara dengan cs|hubungkan ke cs|hubungkan dengan agen|orang asli',
  },
  vi: {
    people: 'người viên',
    around:
      'nhân tư vấn thật với nói chuyện tôi mình em muốn gặp cho cần xin vui lòng trực tiếp chat bây giờ chào hỗ trợ được không',
    phrases:
      'gặp nhân viên|gặp tư vấn viên|nói chuyện với người|nói chuyện với nhân viên|người thật|nhân viên tư vấn|nhân viên hỗ trợ',
  },
  zh: {
    people: '人工 真人 客服 转人工 轉人工 人工客服 人工服务 人工服務 转客服 轉客服',
    around: '',
    phrases:
      '转人工|轉人工|人工客服|人工服务|人工服務|真人客服|找真人|找人工|和真人|跟真人|與真人|联系客服|聯絡客服',
  },
  ja: {
    people: 'オペレーター 担当者 人間 有人 スタッフ',
    around: '',
    phrases:
      '人と話し|人間と話|担当者と話|担当者につな|担当者に繋|オペレーターと話|オペレーターにつな|オペレーターに繋|有人対応|有人チャット|スタッフと話',
  },
  ko: {
    people: '상담원 상담사 사람 직원 상담원과 상담원이랑 상담사와 사람과 사람이랑 직원과 상담원연결',
    around:
      '연결 연결해 연결해줘 연결해주세요 주세요 해주세요 이야기 얘기 대화 통화 하고 싶어요 싶습니다 싶어 할래요 바꿔주세요 좀 실제 진짜 을 를 부탁드립니다 안녕하세요',
    phrases:
      '상담원 연결|상담사 연결|상담원과|상담사와|사람과 이야기|사람이랑 얘기|사람과 대화|직원과 통화|실제 사람|진짜 사람',
  },
  sv: {
    people: 'människa person medarbetare handläggare kundtjänst någon agent',
    around:
      'en ett riktig levande med till snälla tack jag vill skulle vilja kan få prata tala chatta koppla mig nu hej från',
    phrases:
      'prata med en människa|prata med en person|prata med någon|tala med en människa|tala med en person|tala med någon|prata med en medarbetare|riktig människa|riktig person|prata med kundtjänst',
  },
}
