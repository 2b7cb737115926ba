-- Pages: HTML in one file that asks for nothing else. As pictures are, a page is a function of its arguments.

CREATE FUNCTION html_report(title text, sections jsonb, options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_html_report' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION html_report(text, jsonb, jsonb)
	IS 'a page of HTML with a policy of its own that lets nothing else in; it shows everything without its script. '
		'sections: an array of objects with one of heading, text (paragraphs), facts (an object, or an array of '
		'[name, value]), table (an array of objects) with columns, svg (a picture of this extension, another is an '
		'error 22023), details (a title) with sections and open; caption for table and svg; anchor: a name that links '
		'lead to. columns: name, label, kind (text, number, share, bar, stack, spark, arrow, status), unit, '
		'signed (true: a plus sign before what is above 0), link (the field with an anchor). options: subtitle, notes, '
		'theme (auto, light, dark), contents (true)';
